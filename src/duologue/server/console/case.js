/** One conversation as an operator looks at it: what was said, and what is known beside it. */

import { CONVERSATION, showHandoff } from "./desk-api.js";
import { Viewer } from "./viewer.js";

/** Source of what was said: a handoff, or a session that has none. */
export class Case {
  bundle = null;
  /** @type {import("./desk-api.js").Word[]} */
  words = [];
  /** The handoff as it was last told of here; it may be over. @type {import("./desk-api.js").Handoff | null} */
  told = null;
  #viewer;
  #changed;
  #asked = 0;

  /**
   * @param {{sessionId: string, handoffId: string}} place
   * @param {() => void} changed
   */
  constructor({ sessionId, handoffId }, changed) {
    this.sessionId = sessionId;
    this.handoffId = handoffId;
    this.#changed = changed;
    this.#viewer = handoffId ? new Viewer(handoffId, changed, CONVERSATION) : new Viewer(sessionId, changed);
    this.#viewer.open({ event: 0, turn: 0 });
    this.read();
  }

  close() {
    this.#viewer.close();
    this.#asked += 1;
  }

  get trouble() {
    return this.#viewer.trouble;
  }

  get lost() {
    return this.#viewer.stream === "waiting";
  }

  /** Whether there is something to show. */
  get ready() {
    return this.#viewer.row !== null;
  }

  get transcript() {
    const { recording } = this.#viewer;
    return recording.viewAt(recording.length - 1);
  }

  /** Whose conversation it is. */
  get customer() {
    const { row } = this.#viewer;
    return row?.customer ?? row?.subject ?? "";
  }

  /** What it is about: what the person said first. */
  get title() {
    return this.transcript.items.find((item) => item.kind === "person" && item.text)?.text ?? "";
  }

  /** Read what is known beside the conversation. */
  async read() {
    if (!this.handoffId) return;
    this.#asked += 1;
    const asked = this.#asked;
    try {
      const { handoff, bundle, words = [] } = await showHandoff(this.handoffId);
      if (asked !== this.#asked) return;
      [this.told, this.bundle, this.words] = [handoff, bundle, words];
      this.#changed();
    } catch {
      // The conversation itself tells what is wrong.
    }
  }

  /** Hear what happens at the desk. */
  hear(news) {
    if (news.type === "handoff" && news.handoff.id === this.handoffId) {
      const before = this.told?.status;
      this.told = news.handoff;
      if (before !== news.handoff.status) this.read();
    } else if (news.type === "word" || (news.type === "everything" && this.bundle)) {
      // A word may be of the question beside this handoff, which has an id of its own.
      this.read();
    }
  }
}
