/** The list of sessions as it grows: page by page, and for a search as far back as something is found. */

import { ApiError, listSessions } from "./api.js";
import { moment } from "./times.js";

/** How often the beginning of the list is looked at again, in ms. */
const AGAIN_MS = 5_000;

export class Finder {
  /** @type {import("./api.js").Row[]} */
  sessions = [];
  me = "";
  q = "";
  told = "Loading …";
  /** @type {ApiError | null} */
  trouble = null;
  #asked = {};
  #next = null;
  #pages = 0;
  #stop = new AbortController();
  #changed;

  /** @param {() => void} changed called when there is something new to show. */
  constructor(changed) {
    this.#changed = changed;
    setInterval(() => this.#again(), AGAIN_MS);
    document.addEventListener("visibilitychange", () => this.#again());
  }

  get more() {
    return this.#next !== null && this.trouble === null;
  }

  /** Begin anew. @param {{q?: string, state?: string, subject?: string}} asked */
  async find(asked = this.#asked) {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#asked = asked;
    this.q = asked.q ?? "";
    this.#next = null;
    this.#pages = 0;
    await this.#read({ fresh: true });
  }

  /** Go on where the list ends. */
  async goOn() {
    if (this.#next) await this.#read({ fresh: false });
  }

  /** Take a session out of the list. */
  drop(id) {
    this.sessions = this.sessions.filter((row) => row.sessionId !== id);
    this.#changed();
  }

  async #read({ fresh }) {
    const { signal } = this.#stop;
    this.trouble = null;
    this.told = this.q ? "Searching …" : fresh ? "Loading …" : this.told;
    this.#changed();
    let found = fresh ? [] : this.sessions;
    try {
      // A page of a search may hold nothing, and yet not be the last one.
      for (let page = null; page === null || (page.next !== null && !page.sessions.length); ) {
        page = await listSessions({ ...this.#asked, after: this.#next ?? "" }, signal);
        found = [...found, ...page.sessions];
        this.#next = page.next;
        this.#pages += 1;
        this.me = page.subject;
        this.sessions = found;
        this.told = this.#words(page);
        this.#changed();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.trouble = asApiError(error);
      this.told = "";
      this.#changed();
    }
  }

  /** What changed since shows at the beginning; who has gone further down the list is left alone. */
  async #again() {
    if (document.hidden || this.q || this.#pages > 1 || this.trouble?.signIn) return;
    const { signal } = this.#stop;
    try {
      const page = await listSessions(this.#asked, signal);
      [this.sessions, this.#next, this.#pages] = [page.sessions, page.next, 1];
      [this.trouble, this.told] = [null, this.#words(page)];
    } catch (error) {
      if (signal.aborted) return;
      this.trouble = asApiError(error);
    }
    this.#changed();
  }

  #words(page) {
    const { q, state, subject } = this.#asked;
    const count = this.sessions.length;
    if (q && page.next) return `${count || "Nothing"} found, back to ${moment(page.reachedAt)}.`;
    if (q) return count ? `${count} found.` : "Nothing found.";
    if (count) return "";
    return state || subject ? "No conversation is like that." : "No conversations yet. What is said in Talk, or through any protocol, shows here.";
  }
}

function asApiError(error) {
  return error instanceof ApiError ? error : new ApiError(error.message);
}
