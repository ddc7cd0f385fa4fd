/** The desk as an operator sees it: who waits, who is with whom, and what waits for a decision. */

import { adviceFor } from "./advice.js";
import { ApiError } from "./api.js";
import { decide, decidedHere, followDesk, listApprovals } from "./desk-api.js";

/** First wait before a lost stream is asked for again, in ms; it doubles up to the longest. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** How often what waits for a decision is read again where the stream does not tell of it, in ms; and while nobody looks. */
const AGAIN_MS = 2_000;
const HIDDEN_MS = 15_000;

/** Statuses in which nothing more becomes of a handoff. */
export const OVER = new Set(["transferred", "resolved", "cancelled", "failed"]);

export class Desk {
  /** @type {import("./desk-api.js").Handoff[]} */
  handoffs = [];
  /** @type {import("./desk-api.js").Operator[]} */
  operators = [];
  /** @type {import("./desk-api.js").Approval[]} */
  approvals = [];
  /** @type {import("./desk-api.js").Operator} */
  me = { id: "", name: "" };
  known = false;
  lost = false;
  /** @type {ApiError | null} */
  trouble = null;
  /** Approvals that are being decided, and what went wrong with them. */
  deciding = new Set();
  troubles = new Map();
  /** The stream tells of what waits for a decision, as it happens. */
  #told = false;
  #timer = null;
  #stop = new AbortController();
  #changed;
  #heard;

  /**
   * @param {() => void} changed called when there is something new to show.
   * @param {(news: any) => void} heard called with each of the news.
   */
  constructor(changed, heard) {
    this.#changed = changed;
    this.#heard = heard;
    document.addEventListener("visibilitychange", () => document.hidden || this.#told || this.#readApprovals());
  }

  /** Begin, or begin anew as somebody else. */
  start() {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.known = false;
    this.trouble = null;
    this.#tells(false);
    this.#follow(this.#stop.signal);
  }

  /** The open handoff of an id. */
  find(id) {
    return this.handoffs.find((each) => each.id === id) ?? null;
  }

  /** Take what the server has said of a handoff. @param {import("./desk-api.js").Handoff} handoff */
  take(handoff) {
    const others = this.handoffs.filter((each) => each.id !== handoff.id);
    this.handoffs = OVER.has(handoff.status) ? others : [...others, handoff];
    this.#sort();
    this.#changed();
  }

  /** Decide about a call. @returns {Promise<string>} what was done, in words. */
  async judge(approval, { approve, reason }) {
    const { approvalId } = approval;
    this.deciding.add(approvalId);
    this.troubles.delete(approvalId);
    this.#changed();
    try {
      await decide(approval, { approve, reason });
      this.#drop(approvalId);
      return `${approve ? "Approved" : "Denied"}: ${approval.prompt || approval.tool}`;
    } catch (error) {
      // What waits no longer goes, and what became of it is told in its place.
      if (error.status === 404 || error.status === 409) this.#drop(approvalId);
      else this.troubles.set(approvalId, adviceFor(error));
      throw error;
    } finally {
      this.deciding.delete(approvalId);
      this.#changed();
    }
  }

  #drop(approvalId) {
    this.approvals = this.approvals.filter((each) => each.approvalId !== approvalId);
  }

  /** Read what waits for a decision now, and again and again, until the stream tells of it. */
  async #readApprovals() {
    clearTimeout(this.#timer);
    const { signal } = this.#stop;
    try {
      const found = await listApprovals(signal);
      if (!this.#told) this.approvals = found;
    } catch (error) {
      if (signal.aborted) return;
      // Who may not see them has none; a server that cannot be reached is told of by the stream.
      if (error.status === 403 || error.status === 404) this.approvals = [];
    }
    this.#changed();
    this.#tells(this.#told);
  }

  /** Whether the stream tells of what waits for a decision; what it does not tell is read again and again. @param {boolean} told */
  #tells(told) {
    this.#told = told;
    clearTimeout(this.#timer);
    // A proxy may hold a stream back and let all else through: who waits for the first news reads as well.
    if (!told && !this.trouble?.signIn) this.#timer = setTimeout(() => this.#readApprovals(), document.hidden ? HIDDEN_MS : AGAIN_MS);
  }

  async #follow(signal) {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * 2)) {
      try {
        for await (const news of followDesk(signal)) {
          wait = FIRST_WAIT_MS;
          this.#hear(news);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.trouble = error instanceof ApiError ? error : new ApiError(`The page could not read it: ${error.message}`);
        // A refusal stays one, until somebody signs in or tries again.
        if (error.status >= 400 && error.status < 500 && error.status !== 429) {
          this.#told = false;
          return this.#readApprovals();
        }
      }
      if (signal.aborted) return;
      this.lost = true;
      this.#tells(false);
      this.#changed();
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (signal.aborted) return;
    }
  }

  #hear(news) {
    [this.trouble, this.lost] = [null, false];
    if (news.type === "everything") {
      this.handoffs = news.handoffs ?? [];
      this.operators = news.operators ?? [];
      this.me = news.me;
      this.known = true;
      // Who may not decide is told of none.
      this.approvals = (news.approvals ?? []).filter(decidedHere);
      this.#tells(!news.moreApprovals);
      this.#sort();
    } else if (news.type === "handoff") {
      this.take(news.handoff);
    } else if (news.type === "approval") {
      this.#drop(news.approval.approvalId);
      if (decidedHere(news.approval)) this.approvals = [...this.approvals, news.approval];
    } else if (news.type === "approval_closed") {
      this.#drop(news.approvalId);
    } else if (news.type === "operators") {
      this.operators = news.operators ?? [];
    } else if (news.type === "said") {
      this.handoffs = this.handoffs.map((each) => (each.id === news.handoffId ? { ...each, said: news.said } : each));
    }
    this.#heard(news);
    this.#changed();
  }

  /** Who waits first, of all queues. */
  #sort() {
    const place = (each) => each.position || Number.MAX_SAFE_INTEGER;
    this.handoffs.sort((one, other) => place(one) - place(other) || one.requestedAt - other.requestedAt);
  }
}
