/** What an operator does with a conversation: asks what has to be known for it, does it, and says what came of it. */

import { adviceFor } from "./advice.js";
import { act } from "./desk-api.js";

const NOTE = { name: "note", label: "Note", hint: "For the agent that goes on; the customer does not see it.", long: true };

/** What is asked before something is done. @type {Record<string, any>} */
const QUESTIONS = {
  handBack: {
    title: "Hand back to the agent?",
    text: "The agent goes on from here, and knows what was said.",
    fields: [NOTE],
    yes: "Hand back",
  },
  resolve: {
    title: "Is it resolved?",
    text: "The handoff is closed. The agent answers what the customer writes next.",
    fields: [{ ...NOTE, hint: "What was done, for the records and the agent." }],
    yes: "Resolve",
  },
  transfer: {
    title: "Pass it on",
    fields: [
      {
        name: "transfer",
        label: "How",
        choices: [
          ["human_to_human", "To another person, with all that is known"],
          ["warm", "Warm: you stay until they are there"],
          ["blind", "Blind: at once, you are done"],
          ["bot_to_bot", "To another agent"],
        ],
      },
      { name: "target", label: "To whom", hint: "The name of a queue, an operator or an agent; empty leaves it to the rules.", most: 128 },
      { name: "skills", label: "Skills", hint: "What they should be able to do, divided by commas.", most: 256 },
      { name: "reason", label: "Why", required: true, long: true },
    ],
    yes: "Pass it on",
  },
};

const DONE = {
  take: "You have this conversation now.",
  join: "You have this conversation now.",
  hold: "The customer is on hold.",
  return: "You are back.",
  handBack: "The agent has it again.",
  transfer: "It is passed on.",
  resolve: "It is resolved.",
};

export class Doing {
  busy = false;
  trouble = "";
  #form;
  #hooks;

  /**
   * @param {any} form a `duo-form-dialog`.
   * @param {{announce: (words: string) => void, onChange: () => void, onDone: () => void, name: () => string}} hooks
   */
  constructor(form, hooks) {
    this.#form = form;
    this.#hooks = hooks;
  }

  /** @returns {Promise<boolean>} whether it was done. */
  async start(what, handoff) {
    const given = QUESTIONS[what] ? await this.#form.ask(QUESTIONS[what]) : {};
    if (given === null) return false;
    this.busy = true;
    this.trouble = "";
    this.#hooks.onChange();
    try {
      await act(handoff.handoffId, what, this.#bodyOf(what, given));
      this.#hooks.announce(DONE[what]);
      return true;
    } catch (error) {
      this.trouble = adviceFor(error);
      return false;
    } finally {
      this.busy = false;
      this.#hooks.onChange();
      this.#hooks.onDone();
    }
  }

  /** @returns {Promise<string>} why not; empty where it was said. */
  say(handoff, text) {
    return this.#try(handoff, "say", { text, messageId: newId() });
  }

  /** @returns {Promise<string>} why not. */
  consult(handoff, text) {
    return this.#try(handoff, "consult", { text, name: this.#hooks.name() || undefined });
  }

  /** Ask why; null where one does not decide after all. */
  async reasonFor(approval, approve) {
    const reason = { name: "reason", label: "Reason", hint: approve ? "May be empty." : "The agent is told.", required: !approve, long: true, most: 500 };
    const given = await this.#form.ask({
      title: approve ? "Approve it?" : "Deny it?",
      text: approval.prompt || approval.tool,
      fields: [reason],
      yes: approve ? "Approve" : "Deny",
      danger: !approve,
    });
    return given === null ? null : given.reason;
  }

  async #try(handoff, what, body) {
    if (!handoff) return "There is no handoff any more.";
    try {
      await act(handoff.handoffId, what, body);
      return "";
    } catch (error) {
      return adviceFor(error);
    }
  }

  #bodyOf(what, given) {
    const name = this.#hooks.name();
    const body = { ...given };
    if (["take", "join"].includes(what) && name) body.name = name;
    if (what === "transfer") body.skills = given.skills.split(",").map((skill) => skill.trim()).filter(Boolean);
    return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ""));
  }
}

/** One of its own for each message, so that a repeat is recognised. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `desk-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
