/** The socket to the server: opens the session, resumes it after every loss, and waits longer each time. */

import { at } from "./here.js";

/** First wait before another try, in ms; it doubles up to the longest. A restart of the server takes about one. */
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 15_000;

/** How long the server may take until the session is open, in ms; then the try counts as lost. */
const OPENING_MS = 10_000;

/** What the person can be asked to show: a photo, and a tag, which is typed in where the browser cannot read it. */
const MODALITIES = ["photo", "nfc"];

const SIGN_IN = new Set(["auth_required", "auth_failed", "auth_expired"]);
const START_OVER = new Set(["resume_ahead", "resume_trimmed", "session_unknown"]);

/**
 * @typedef {{name: "connecting"} | {name: "open"} | {name: "waiting", retryAtMs: number, attempt: number}
 *   | {name: "refused", reason: string, message: string, signIn: boolean} | {name: "over"}} Link
 * @typedef {object} Handlers
 * @property {() => {sessionId: string | null, cursor: number}} place where to go on.
 * @property {() => string | null} token
 * @property {(opened: {sessionId: string, cursor: number, lastSequence: number}) => void} onOpened
 * @property {(frame: any) => void} onFrame
 * @property {(link: Link) => void} onLink
 * @property {() => void} onStartOver what was read has no continuation: forget it, `place` then gives 0.
 * @property {() => void} onForeign the session is somebody else's: forget it, `place` then gives no id.
 */

export class Connection {
  #handlers;
  #socket = null;
  #timer = null;
  #attempt = 0;
  #open = false;
  #asked = { sessionId: null, cursor: 0 };

  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    // What the machine knows about its network is worth more than our waiting.
    addEventListener("online", () => this.retryNow());
    addEventListener("offline", () => this.#lost());
    document.addEventListener("visibilitychange", () => document.hidden || this.retryNow());
  }

  get isOpen() {
    return this.#open;
  }

  /** Connect, or leave the session for the one that `place` now names. */
  start() {
    this.#leave();
    this.#attempt = 0;
    this.#connect();
  }

  /** Try at once where a wait is on. */
  retryNow() {
    if (this.#timer !== null && !this.#socket) this.#connect();
  }

  /** Send a frame; false where there is no open session to send it to. */
  send(frame) {
    if (!this.#open) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  #connect() {
    this.#leave();
    this.#handlers.onLink({ name: "connecting" });
    const token = this.#handlers.token();
    const protocols = token ? ["duologue", `bearer.${token}`] : ["duologue"];
    const address = at("/chat/ws");
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    let socket;
    try {
      socket = new WebSocket(address, protocols);
    } catch {
      this.#refuse({ reason: "auth_failed", message: "A browser cannot send this token: it has characters that a header may not have." });
      return;
    }
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#lost(), OPENING_MS);
    socket.onopen = () => this.#ask();
    socket.onmessage = (message) => socket === this.#socket && this.#take(JSON.parse(message.data));
    socket.onclose = () => socket === this.#socket && this.#lost();
  }

  #ask() {
    this.#asked = this.#handlers.place();
    const { sessionId, cursor } = this.#asked;
    const where = sessionId ? { sessionId, cursor } : {};
    this.#socket.send(JSON.stringify({ type: "session.start", ...where, modalities: MODALITIES }));
  }

  #take(frame) {
    if (this.#open) {
      this.#handlers.onFrame(frame);
      if (frame.type === "session.ended") this.#finish({ name: "over" });
    } else if (frame.type === "session.opened") {
      clearTimeout(this.#timer);
      this.#timer = null;
      this.#attempt = 0;
      this.#open = true;
      this.#handlers.onOpened(frame);
      this.#handlers.onLink({ name: "open" });
    } else if (frame.type === "error") {
      this.#refused(frame);
    }
  }

  /** The session was not opened: mend what can be mended on this socket, else wait or give up. */
  #refused(frame) {
    if (START_OVER.has(frame.reason) && this.#asked.cursor > 0) {
      this.#handlers.onStartOver();
      this.#ask();
    } else if (frame.reason === "forbidden" && this.#asked.sessionId) {
      this.#handlers.onForeign();
      this.#ask();
    } else if (frame.retryable && !SIGN_IN.has(frame.reason)) {
      this.#lost();
    } else {
      this.#refuse(frame);
    }
  }

  #refuse({ reason, message }) {
    this.#finish({ name: "refused", reason, message, signIn: SIGN_IN.has(reason) });
  }

  #lost() {
    if (!this.#socket) return;
    this.#leave();
    this.#attempt += 1;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#attempt - 1));
    // Some chance in it: the clients of a restarted server do not all come back in the same instant.
    const wait = longest * (0.75 + Math.random() / 4);
    this.#timer = setTimeout(() => this.#connect(), wait);
    this.#handlers.onLink({ name: "waiting", retryAtMs: Date.now() + wait, attempt: this.#attempt });
  }

  #finish(link) {
    this.#leave();
    this.#handlers.onLink(link);
  }

  #leave() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#open = false;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }
}
