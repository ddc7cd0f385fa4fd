/** A call: the microphone's sound to the server, and the agent's voice back, over WebRTC. Calls again after a loss.
 *
 * Source: RFC 9725 (WHIP): an offer is answered over HTTP, `Location` hangs up, `Link` names servers that help.
 */

import { at } from "./here.js";

/** Longest wait for all addresses of this side, in ms; those that are there by then have to do. */
const GATHER_MS = 2000;

/** Longest wait for an answer, in ms: on a server that has just started, models are still being loaded. */
const ANSWER_MS = 90_000;

/** How long the peers may take to find each other, or to find each other again, in ms. */
const CONNECT_MS = 12_000;
const DISCONNECTED_MS = 5000;

/** How long the server is waited for when one hangs up, in ms. */
const HANG_UP_MS = 1500;

/** A call that breaks may have been ended by the server: this long its reason may still be on its way, in ms. */
const REASON_MS = 800;

/** First wait before calling again, in ms; it doubles, up to so many calls in a row that come to nothing. */
const FIRST_WAIT_MS = 500;
const MOST_TRIES = 6;

/** Reasons of the server's after which calling again helps. */
const PASSING = new Set(["lost", "failed", "draining", "store_failed", "recogniser_failed"]);

/**
 * @typedef {{name: "connecting"} | {name: "again"} | {name: "live"}
 *   | {name: "over", reason: string, message: string, retryable: boolean}} CallState
 * @typedef {object} Handlers
 * @property {() => {sessionId: string | null, token: string | null, mode: "open" | "explicit"}} place what to call.
 * @property {(state: CallState) => void} onState
 * @property {(stream: MediaStream) => void} onVoice the agent's.
 */

export class Call {
  #handlers;
  #stream;
  #peer = null;
  #sender = null;
  #address = null;
  #servers = [];
  #tries = 0;
  #timer = null;
  #over = false;
  #dialling = new AbortController();

  /**
   * @param {MediaStream} stream of the microphone; it stays the caller's.
   * @param {Handlers} handlers
   */
  constructor(stream, handlers) {
    this.#stream = stream;
    this.#handlers = handlers;
  }

  /** Call. */
  start() {
    this.#tell({ name: "connecting" });
    this.#dial();
  }

  /** Send the sound of another microphone from now on. */
  async use(stream) {
    this.#stream = stream;
    await this.#sender?.replaceTrack(stream.getAudioTracks()[0]);
  }

  /** Hang up, also while the page is left; resolves once the server knows, or cannot be told. */
  async hangUp() {
    if (this.#over) return;
    const told = this.#leave({ tellServer: true });
    this.#end("hung_up", "");
    await told;
  }

  /** Take what the server says of why this call is over. */
  ended(reason) {
    if (this.#over) return;
    if (PASSING.has(reason)) this.#again();
    else this.#finish(reason);
  }

  async #dial() {
    this.#leave({ tellServer: false });
    const dialling = new AbortController();
    this.#dialling = dialling;
    const peer = new RTCPeerConnection({ iceServers: this.#servers });
    this.#peer = peer;
    this.#sender = peer.addTrack(this.#stream.getAudioTracks()[0], this.#stream);
    peer.ontrack = ({ track }) => this.#handlers.onVoice(new MediaStream([track]));
    peer.onconnectionstatechange = () => peer === this.#peer && this.#changed(peer.connectionState);
    try {
      await peer.setLocalDescription();
      await gathered(peer);
      const answer = await this.#offer(peer.localDescription.sdp, dialling.signal);
      if (peer !== this.#peer) return;
      await peer.setRemoteDescription({ type: "answer", sdp: answer });
      this.#wait(CONNECT_MS, () => this.#again());
    } catch (error) {
      if (peer === this.#peer && !this.#over) this.#failed(error);
    }
  }

  async #offer(sdp, signal) {
    const { sessionId, token, mode } = this.#handlers.place();
    const address = at("/webrtc");
    if (sessionId) address.searchParams.set("session", sessionId);
    address.searchParams.set("turns", mode);
    const headers = { "Content-Type": "application/sdp", ...credential(token) };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await fetch(address, { method: "POST", headers, body: sdp, signal: limit });
    if (!answer.ok) throw await refusal(answer);
    const location = answer.headers.get("Location");
    if (location) this.#address = new URL(location, address);
    this.#servers = helpers(answer.headers.get("Link"));
    return answer.text();
  }

  #changed(state) {
    switch (state) {
      case "connected":
        clearTimeout(this.#timer);
        this.#tries = 0;
        this.#tell({ name: "live" });
        break;
      case "disconnected":
        this.#wait(DISCONNECTED_MS, () => this.#again());
        break;
      case "failed":
      case "closed":
        this.#wait(REASON_MS, () => this.#again());
        break;
    }
  }

  #failed(error) {
    // What carries no answer of the server's is the network's.
    if (!(error instanceof Refusal) || error.retryable) this.#again(error.message);
    else this.#finish(error.reason, error.message);
  }

  #again(message = "") {
    this.#leave({ tellServer: false });
    this.#tries += 1;
    if (this.#tries > MOST_TRIES) {
      this.#finish("lost", message);
      return;
    }
    this.#tell({ name: "again" });
    this.#wait(FIRST_WAIT_MS * 2 ** (this.#tries - 1), () => this.#dial());
  }

  #finish(reason, message = "") {
    this.#leave({ tellServer: false });
    this.#end(reason, message);
  }

  #end(reason, message) {
    this.#over = true;
    this.#tell({ name: "over", reason, message, retryable: reason !== "session_ended" && reason !== "deleted" });
  }

  async #leave({ tellServer }) {
    clearTimeout(this.#timer);
    this.#dialling.abort();
    const [peer, address] = [this.#peer, this.#address];
    this.#peer = this.#sender = this.#address = null;
    if (tellServer && address) {
      const headers = credential(this.#handlers.place().token);
      // Also heard where the page goes away. The connection says the same, so it is closed after that.
      await fetch(address, { method: "DELETE", headers, keepalive: true, signal: AbortSignal.timeout(HANG_UP_MS) }).catch(() => {});
    }
    peer?.close();
  }

  #wait(ms, then) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
  }

  #tell(state) {
    this.#handlers.onState(state);
  }
}

/** The server said no. */
class Refusal extends Error {
  constructor({ message, reason, retryable }) {
    super(message);
    this.reason = reason;
    this.retryable = retryable;
  }
}

async function refusal(answer) {
  const told = await answer.json().catch(() => ({}));
  return new Refusal({
    message: told.message ?? `The server refused the call (${answer.status}).`,
    reason: told.reason ?? told.code ?? "refused",
    retryable: told.retryable === true,
  });
}

/**
 * Ask the server why it takes no calls; null where it would have taken one.
 * @returns {Promise<string | null>}
 */
export async function whyNoCalls(token) {
  const card = await fetch(at("/.well-known/agent-card.json"), { cache: "no-cache" }).then((answer) => answer.json());
  const extension = card.capabilities?.extensions?.find((each) => each.params?.agui);
  if (extension?.params.agui.webrtc?.available) return null;
  // What is no offer begins no call, and no session; why there are none comes first.
  const answer = await fetch(at("/webrtc"), { method: "POST", headers: credential(token) });
  const told = await refusal(answer);
  return told.reason === "no_audio" ? told.message : null;
}

function credential(token) {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

function gathered(peer) {
  return new Promise((done) => {
    const look = () => peer.iceGatheringState === "complete" && done();
    peer.addEventListener("icegatheringstatechange", look);
    setTimeout(done, GATHER_MS);
    look();
  });
}

/** Read the servers that help peers find each other. Source: RFC 9725, 4.6. */
export function helpers(link) {
  const found = [];
  for (const [, url, rest] of (link ?? "").matchAll(/<([^>]*)>((?:\s*;\s*[\w-]+="[^"]*")*)/g)) {
    const given = Object.fromEntries([...rest.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    if (given.rel !== "ice-server") continue;
    found.push({ urls: url, ...(given.username ? { username: given.username, credential: given.credential ?? "" } : {}) });
  }
  return found;
}
