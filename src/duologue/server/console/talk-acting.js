/** What the talk page does for the agent, as the person decides: approvals, photos and tags, the page's own tools. */

import { adviceFor } from "./advice.js";
import { askJson } from "./api.js";
import { offers, run } from "./client-tools.js";

export class TalkActing {
  #hooks;
  #ran = new Set();

  /**
   * @param {object} hooks
   * @param {() => string | null} hooks.sessionId
   * @param {(letter: {text: string, observation?: object, interactionId?: string}) => void} hooks.send
   * @param {(words: string) => void} hooks.announce
   */
  constructor(hooks) {
    this.#hooks = hooks;
  }

  /** Tell what was decided; what was decided before by somebody else is told as that. */
  async decide({ approvalId, toolCallId, input, digest, approve, refused }) {
    const decision = approve ? "approve" : "deny";
    const exactly = digest ? { digest } : input ? { arguments: input } : {};
    try {
      await askJson("/chat/tool-call", {
        method: "POST",
        body: { sessionId: this.#hooks.sessionId(), toolCallId, approvalId, decision, ...exactly },
      });
      this.#hooks.announce(approve ? "Approved." : "Denied.");
    } catch (error) {
      refused(adviceFor(error));
    }
  }

  /** Show what was asked for. */
  show({ interactionId, observation }) {
    this.#hooks.send({ text: "", attachments: [], observation, interactionId });
  }

  /** Say that it cannot be shown: in words, which every agent understands. */
  decline() {
    this.#hooks.send({ text: "I cannot show it.", attachments: [] });
  }

  /** Nobody is needed any more. */
  async cancelHandoff({ handoffId }) {
    try {
      await askJson(`/api/handoffs/${encodeURIComponent(handoffId)}`, { method: "DELETE" });
    } catch (error) {
      this.#hooks.announce(adviceFor(error));
    }
  }

  /**
   * Run what the agent asks this page to run, once.
   * @param {import("./transcript.js").Transcript} transcript
   */
  runTools(transcript) {
    const last = transcript.items.findLast((item) => item.kind === "answer");
    for (const part of last?.parts ?? []) {
      const due = part.kind === "tool" && part.byClient && part.input !== null && ["running", "executing"].includes(part.status);
      if (!due || this.#ran.has(part.id) || !offers(part.name)) continue;
      this.#ran.add(part.id);
      this.#run(part);
    }
  }

  async #run({ id, name, input }) {
    const body = { sessionId: this.#hooks.sessionId(), toolCallId: id, ...run(name, input) };
    try {
      await askJson("/chat/tool-call", { method: "POST", body });
    } catch (error) {
      // Another page of the same conversation was quicker, or it is over: neither is trouble. All else may be tried again.
      if (error.status === 0 || error.status >= 500) this.#ran.delete(id);
    }
  }
}
