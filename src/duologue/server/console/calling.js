/** Speaking with the agent: joins microphone, call and level to <duo-call>; what the server says comes as a fold. */

import { Call, whyNoCalls } from "./call.js";
import * as keepsakes from "./keepsakes.js";
import { Level } from "./level.js";
import { openMicrophone, soundDevices } from "./microphone.js";

/** What of the last word is still on its way when the button is let go, in ms: it belongs to the turn. */
const TAIL_MS = 250;

/** Why a call ended, in words; what the person did themselves needs none. */
const ENDINGS = {
  hung_up: "",
  idle: "Nothing was said for a while, so the call was ended.",
  taken_over: "The call goes on in another window or on another device.",
  turns_changed: "Another client of this conversation has changed how turns are taken. Call again.",
  session_ended: "The conversation has ended, and the call with it.",
  deleted: "The conversation was deleted, and the call with it.",
  lost: "The server cannot be reached for a call. Check the network; where only calls fail, UDP may be blocked on the way.",
};

const DEAD = "Nothing comes from the microphone. Is it muted in the system, or is another one in use?";

export class Calling {
  #panel;
  #handlers;
  #call = null;
  #level = null;
  #stream = null;
  #voice = Object.assign(new Audio(), { autoplay: true });
  #state = "none";
  #callId = null;
  /** The session's call when ours began: another's, or an earlier one of ours. */
  #before = null;
  #current = null;
  #muted = false;
  #talking = false;
  #trouble = "";
  #retryable = true;
  #note = "";
  #turn = 0;
  #phase = "none";
  #lastTurn = 0;
  #tail = null;

  /**
   * @param {import("./components/call.js").CallPanel} panel
   * @param {{send: (frame: object) => boolean, token: () => string | null, sessionId: () => string | null,
   *   onChange: () => void, announce: (words: string) => void, onOver: () => void}} handlers
   */
  constructor(panel, handlers) {
    this.#panel = panel;
    this.#handlers = handlers;
    panel.addEventListener("duo-talk", (event) => this.#talk(event.detail.held));
    panel.addEventListener("duo-mute", () => this.#mute());
    panel.addEventListener("duo-hang-up", () => this.hangUp());
    panel.addEventListener("duo-call-again", () => this.start());
    panel.addEventListener("duo-call-dismiss", () => this.#dismiss());
    panel.addEventListener("duo-call-mode", (event) => this.#setMode(event.detail.mode));
    panel.addEventListener("duo-call-device", (event) => this.#setDevice(event.detail));
    navigator.mediaDevices?.addEventListener?.("devicechange", () => this.#on && this.#offer());
    addEventListener("pagehide", () => this.#call?.hangUp());
  }

  /** Whether this page speaks, or is about to. */
  get on() {
    return this.#on;
  }

  get #on() {
    return this.#state !== "none";
  }

  get #mode() {
    return keepsakes.talking.get() === "explicit" ? "explicit" : "open";
  }

  /** Ask for the microphone and call. */
  async start() {
    if (this.#on) return;
    this.#trouble = this.#note = "";
    this.#retryable = true;
    this.#muted = this.#talking = false;
    this.#set("asking");
    this.#panel.focus();
    try {
      const why = await whyNoCalls(this.#handlers.token());
      if (why !== null) {
        this.#stop(told(why), { retryable: false });
        return;
      }
      const stream = await openMicrophone(keepsakes.microphoneId.get());
      if (!this.#on) {
        stopTracks(stream);
        return;
      }
      this.#take(stream);
    } catch (error) {
      if (this.#on) this.#stop(error instanceof TypeError ? ENDINGS.lost : error.message);
      return;
    }
    this.#dial();
    this.#offer();
  }

  hangUp() {
    if (this.#call) this.#call.hangUp();
    else if (this.#on) this.#stop("");
    else this.#dismiss();
  }

  /** Follow what the server says of calls. */
  follow({ voice, turn }) {
    this.#lastTurn = turn;
    this.#current = voice.callId;
    const changed = this.#phase !== voice.phase || (this.#call && this.#trouble !== voice.trouble);
    this.#phase = voice.phase;
    if (!this.#call) return;
    this.#trouble = voice.trouble;
    if (this.#callId === null) {
      if (voice.callId !== this.#before) this.#callId = voice.callId;
    } else if (voice.callId !== this.#callId) {
      this.#callId = null;
      this.#before = voice.callId;
      this.#call.ended(voice.callId === null ? voice.ended : "taken_over");
    }
    if (changed) this.#show();
  }

  /** The server did not take what was sent of an audio turn. */
  refused(message) {
    if (this.#state === "live" && this.#mode === "explicit") this.#tell(told(message));
  }

  #dial() {
    this.#set("connecting");
    this.#forget();
    const call = new Call(this.#stream, {
      place: () => ({ sessionId: this.#handlers.sessionId(), token: this.#handlers.token(), mode: this.#mode }),
      onState: (state) => call === this.#call && this.#changed(state),
      onVoice: (stream) => this.#play(stream),
    });
    this.#call = call;
    call.start();
  }

  #changed(state) {
    if (state.name === "over") {
      const words = state.message ? told(state.message) : ENDINGS[state.reason];
      this.#stop(words ?? `The call is over: ${state.reason}.`, state);
      return;
    }
    if (state.name === "again") this.#forget();
    if (state.name === "live" && this.#state !== "live") {
      this.#handlers.announce(this.#mode === "open" ? "The call is on. Just talk." : "The call is on. Hold the button to talk.");
    }
    this.#set(state.name);
    // The button that was pressed is gone.
    if (state.name === "live" && document.activeElement === document.body) this.#panel.focus();
  }

  /** The call that is on is not ours, or not any more. */
  #forget() {
    this.#before = this.#current;
    this.#callId = null;
  }

  #stop(trouble, { retryable = true } = {}) {
    clearTimeout(this.#tail);
    this.#call = null;
    stopTracks(this.#stream);
    this.#stream = null;
    this.#level?.close();
    this.#level = null;
    this.#voice.srcObject = null;
    this.#trouble = trouble;
    this.#retryable = retryable;
    if (!trouble) this.#handlers.announce("The call is over.");
    this.#set("none");
    this.#handlers.onOver();
  }

  #dismiss() {
    if (!this.#trouble) return;
    this.#trouble = "";
    this.#set("none");
    this.#handlers.onOver();
  }

  #take(stream) {
    stopTracks(this.#stream);
    this.#stream = stream;
    const [track] = stream.getAudioTracks();
    track.addEventListener("ended", () => stream === this.#stream && this.#setDevice({ kind: "microphone", deviceId: "" }));
    this.#level ??= new Level({
      show: (level) => this.#panel.level(level),
      onDead: () => this.#tell(DEAD),
      listens: () => this.#stream?.getAudioTracks()[0]?.enabled === true,
    });
    this.#level.of(stream);
    this.#open();
  }

  /** Let the microphone's sound out, or silence. */
  #open() {
    const [track] = this.#stream?.getAudioTracks() ?? [];
    if (track) track.enabled = this.#mode === "explicit" ? this.#talking : !this.#muted;
  }

  #mute() {
    this.#muted = !this.#muted;
    this.#note = "";
    this.#open();
    this.#show();
  }

  #talk(held) {
    if (this.#state !== "live" || this.#mode !== "explicit") return;
    clearTimeout(this.#tail);
    if (held) {
      this.#talking = true;
      this.#note = "";
      this.#open();
      this.#turn = this.#lastTurn + 1;
      this.#handlers.send({ type: "audio.turn.start", turn: this.#turn });
    } else {
      this.#tail = setTimeout(() => {
        this.#talking = false;
        this.#open();
        this.#handlers.send({ type: "audio.turn.commit", turn: this.#turn });
      }, TAIL_MS);
    }
  }

  async #setMode(mode) {
    if (mode === this.#mode) return;
    keepsakes.talking.set(mode);
    this.#muted = this.#talking = false;
    this.#open();
    // Who ends turns is settled with the offer: the new call takes over.
    if (this.#call) {
      const call = this.#call;
      this.#call = null;
      this.#set("connecting");
      await call.hangUp();
      if (this.#on && this.#call === null) this.#dial();
      return;
    }
    this.#show();
  }

  async #setDevice({ kind, deviceId }) {
    if (kind === "speaker") {
      keepsakes.speakerId.set(deviceId);
      await this.#voice.setSinkId?.(deviceId).catch((error) => this.#tell(`That loudspeaker cannot be used: ${error.message}`));
      return;
    }
    keepsakes.microphoneId.set(deviceId || null);
    try {
      const stream = await openMicrophone(deviceId);
      this.#note = "";
      this.#take(stream);
      await this.#call?.use(stream);
    } catch (error) {
      this.#tell(error.message);
    }
    // What is used, which may be another one than was chosen.
    this.#offer();
  }

  async #play(stream) {
    this.#voice.srcObject = stream;
    try {
      const speaker = keepsakes.speakerId.get();
      if (speaker) await this.#voice.setSinkId?.(speaker);
    } catch {
      // It is not plugged in today: then the usual one.
    }
    await this.#voice.play().catch(() => this.#tell("The browser does not play the agent's voice. Press any button of this page, and call again."));
  }

  async #offer() {
    const [track] = this.#stream?.getAudioTracks() ?? [];
    const chosen = { microphone: track?.getSettings().deviceId, speaker: keepsakes.speakerId.get() };
    this.#panel.offer(await soundDevices(), chosen);
  }

  #tell(note) {
    this.#note = note;
    this.#handlers.announce(note);
    this.#show();
  }

  #set(state) {
    this.#state = state;
    this.#show();
    this.#handlers.onChange();
  }

  #show() {
    this.#panel.show({
      state: this.#state,
      // Until the server has said so.
      phase: this.#phase !== "none" ? this.#phase : this.#mode === "open" ? "listening" : "ready",
      mode: this.#mode,
      muted: this.#muted,
      trouble: this.#trouble,
      retryable: this.#retryable,
      note: this.#note,
    });
  }
}

function stopTracks(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

/** A server's words as a sentence for people. */
function told(words) {
  return `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}
