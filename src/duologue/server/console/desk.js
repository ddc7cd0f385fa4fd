/** The desk as an operator sees it: who waits, what waits for a decision, and doing something about it. */

import { adviceFor } from "./advice.js";
import { ApiError } from "./api.js";
import { decide, listApprovals, listHandoffs } from "./desk-api.js";

/** How often the lists are read again, in ms: who waits should not wait for this. */
const AGAIN_MS = 2_000;

/** The same while nobody looks. */
const HIDDEN_MS = 15_000;

export class Desk {
  /** @type {import("./desk-api.js").Handoff[]} */
  handoffs = [];
  /** @type {import("./desk-api.js").Approval[]} */
  approvals = [];
  me = { operatorId: "", name: "" };
  /** Whether one may decide; who only operates may not. */
  supervises = true;
  known = false;
  /** @type {ApiError | null} */
  trouble = null;
  /** Approvals that are being decided, and what went wrong with them. */
  deciding = new Set();
  troubles = new Map();
  #timer = null;
  #reading = null;
  #changed;

  /** @param {() => void} changed called when there is something new to show. */
  constructor(changed) {
    this.#changed = changed;
    document.addEventListener("visibilitychange", () => document.hidden || this.read());
  }

  /** Read both lists now, and again and again from then on. */
  async read() {
    clearTimeout(this.#timer);
    // Who asks while it is being read gets what comes after that.
    const before = this.#reading;
    const mine = (async () => {
      await before;
      await this.#readBoth();
    })();
    this.#reading = mine;
    await mine;
    if (this.#reading !== mine) return;
    this.#reading = null;
    clearTimeout(this.#timer);
    if (!this.trouble?.signIn) this.#timer = setTimeout(() => this.read(), document.hidden ? HIDDEN_MS : AGAIN_MS);
  }

  /** Decide about a call. @returns {Promise<string>} what was done, in words. */
  async judge(approval, { approve, reason }) {
    const { approvalId } = approval;
    this.deciding.add(approvalId);
    this.troubles.delete(approvalId);
    this.#changed();
    try {
      await decide(approval, { approve, reason });
      this.approvals = this.approvals.filter((each) => each.approvalId !== approvalId);
      return `${approve ? "Approved" : "Denied"}: ${approval.prompt || approval.tool}`;
    } catch (error) {
      this.troubles.set(approvalId, adviceFor(error));
      throw error;
    } finally {
      this.deciding.delete(approvalId);
      this.#changed();
      this.read();
    }
  }

  async #readBoth() {
    try {
      const [desk, approvals] = await Promise.all([listHandoffs(), this.#readApprovals()]);
      [this.handoffs, this.me, this.approvals, this.trouble] = [desk.handoffs, desk.me, approvals, null];
      this.known = true;
    } catch (error) {
      this.trouble = error instanceof ApiError ? error : new ApiError(`The page could not read it: ${error.message}`);
    }
    this.#changed();
  }

  async #readApprovals() {
    try {
      const found = await listApprovals();
      this.supervises = true;
      return found;
    } catch (error) {
      // Who only operates decides nothing, and that is no trouble.
      if (error.status !== 403) throw error;
      this.supervises = false;
      return [];
    }
  }
}
