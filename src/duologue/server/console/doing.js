/** What an operator does with a conversation: asks what has to be known for it, does it, and says what came of it. */

import { adviceFor } from "./advice.js";
import { act, takeOver } from "./desk-api.js";

const NOTE = { name: "note", label: "Note", hint: "For the agent that goes on; the customer does not see it.", long: true };

/** What is asked before something is done. @type {Record<string, any>} */
const QUESTIONS = {
  "hand-back": {
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
          ["warm", "Warm: you stay until somebody has taken it"],
          ["human_to_human", "To another operator or queue: you stay until it is taken"],
          ["blind", "Blind: you let go at once"],
          ["bot_to_bot", "To another agent, at once"],
        ],
      },
      { name: "target", label: "To whom", hint: "A queue or an agent by its name, or operator: and an operator's id; empty leaves it to the rules.", most: 128 },
      { name: "skills", label: "Skills", hint: "What they should be able to do, divided by commas.", most: 256 },
      { name: "reason", label: "Why", required: true, long: true },
    ],
    yes: "Pass it on",
  },
  cancel: {
    title: "Is nobody needed any more?",
    text: "The customer stays with the agent.",
    fields: [{ name: "reason", label: "Why", long: true }],
    yes: "Take it out of the queue",
    danger: true,
  },
};

const DONE = {
  take: "You have this conversation now.",
  "take-over": "You have this conversation now.",
  connect: "It is kept for you while you read.",
  hold: "The customer is on hold.",
  resume: "You are back.",
  "hand-back": "The agent has it again.",
  transfer: "It is passed on.",
  resolve: "It is resolved.",
  cancel: "Nobody is needed there any more.",
};

export class Doing {
  busy = false;
  trouble = "";
  #form;
  #hooks;
  #failed = null;

  /**
   * @param {any} form a `duo-form-dialog`.
   * @param {object} hooks
   * @param {(words: string) => void} hooks.announce
   * @param {() => void} hooks.onChange
   * @param {(handoff: import("./desk-api.js").Handoff) => void} hooks.onDone with how it stands now.
   */
  constructor(form, hooks) {
    this.#form = form;
    this.#hooks = hooks;
  }

  /**
   * @param {string} what
   * @param {{id: string, sessionId: string}} place `id` of the handoff, where there is one.
   * @returns {Promise<boolean>} whether it was done.
   */
  async start(what, { id, sessionId }) {
    const given = QUESTIONS[what] ? await this.#form.ask(QUESTIONS[what]) : {};
    if (given === null) return false;
    this.busy = true;
    this.trouble = "";
    this.#hooks.onChange();
    try {
      const { handoff } = what === "take-over" ? await takeOver(sessionId) : await act(id, what, bodyOf(what, given));
      this.#hooks.announce(DONE[what]);
      this.#hooks.onDone(handoff);
      return true;
    } catch (error) {
      this.trouble = adviceFor(error);
      return false;
    } finally {
      this.busy = false;
      this.#hooks.onChange();
    }
  }

  /**
   * Say something. The same words after a failure are the same message: it may have arrived.
   * @returns {Promise<string>} why not; empty where it was said.
   */
  async say(handoff, text) {
    const again = this.#failed?.text === text && this.#failed.id === handoff?.id;
    const messageId = again ? this.#failed.messageId : newId();
    const refused = await this.#try(handoff, "say", { text, messageId });
    this.#failed = refused ? { id: handoff?.id, text, messageId } : null;
    return refused;
  }

  /** @returns {Promise<string>} why not. */
  consult(handoff, text) {
    return this.#try(handoff, "consult", { text });
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
      this.#hooks.onDone((await act(handoff.id, what, body)).handoff);
      return "";
    } catch (error) {
      return adviceFor(error);
    }
  }
}

function bodyOf(what, given) {
  const body = what === "transfer" ? { ...given, skills: given.skills.split(",").map((skill) => skill.trim()).filter(Boolean) } : given;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value.length));
}

/** One of its own for each message, so that a repeat is recognised. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `desk-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
