/** <duo-call>: the call that is on, or why there is none. Fires `duo-talk` {held}, `duo-mute`, `duo-hang-up`,
 * `duo-call-again`, `duo-call-dismiss`, `duo-call-mode` {mode} and `duo-call-device` {kind, deviceId}.
 */

import { el, icon } from "../dom.js";

const WORDS = {
  asking: "Waiting for the microphone",
  connecting: "Calling",
  again: "The connection was lost. Calling again",
  ready: "Ready",
  listening: "Listening",
  hearing: "Hearing you",
  transcribing: "Understanding",
  thinking: "Thinking",
  speaking: "Speaking",
  held: "Waiting for you",
};

const HINTS = {
  asking: "Allow it where the browser asks.",
  ready: "Hold the button while you talk.",
  listening: "Just talk.",
  speaking: "Talk to interrupt.",
};

/** Who presses for less than this wants to talk until they press again, in ms. */
const TAP_MS = 300;

const BARS = 5;

class CallPanel extends HTMLElement {
  #pressedMs = 0;
  #held = false;
  #meter = el("span", { class: "meter", "aria-hidden": "true" }, ...Array.from({ length: BARS }, () => el("i")));
  #phase = el("strong", { class: "phase" });
  #hint = el("span", { class: "call-hint" });
  #talk = el("button", { type: "button", class: "button filled talk-key", "aria-pressed": "false" }, icon("mic"), el("span", {}, "Hold to talk"));
  #mute = el("button", { type: "button", class: "button bare round", "aria-pressed": "false" });
  #tune = el("button", { type: "button", class: "button bare round", "aria-label": "Sound settings", "aria-expanded": "false", "aria-controls": "call-settings" }, icon("tune"));
  #hangUp = el("button", { type: "button", class: "button round hang-up", "aria-label": "Hang up" }, icon("hangup"));
  #trouble = el("p", { class: "call-trouble" });
  #again = el("button", { type: "button", class: "button small", "aria-label": "Call again" }, icon("retry"), "Try again");
  #dismiss = el("button", { type: "button", class: "button bare small" }, "Close");
  #microphones = el("select", { id: "microphone" });
  #speakers = el("select", { id: "speaker" });
  #bar = el("div", { class: "call-bar" });
  #problem = el("div", { class: "call-problem", role: "alert" });
  #settings = el("div", { class: "call-settings", id: "call-settings", hidden: true });
  #modes = el("fieldset", { class: "modes" }, el("legend", {}, "How you talk"));

  connectedCallback() {
    this.hidden = true;
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "Call");
    this.#modes.append(
      mode("open", "Open microphone", "Just talk. Talk while the agent speaks to interrupt it."),
      mode("explicit", "Push to talk", "Hold the button, or the space bar on it, while you talk; a tap switches it on and off."),
    );
    const microphone = el("label", { for: "microphone" }, el("span", {}, "Microphone"), this.#microphones);
    const speaker = el("label", { for: "speaker" }, el("span", {}, "Loudspeaker"), this.#speakers);
    this.#settings.append(this.#modes, el("div", { class: "devices" }, microphone, speaker));
    const words = el("p", { class: "call-words" }, this.#phase, " ", this.#hint);
    this.#bar.append(this.#meter, words, this.#talk, this.#mute, this.#tune, this.#hangUp);
    this.#problem.append(icon("alert"), this.#trouble, this.#again, this.#dismiss);
    this.append(this.#problem, this.#settings, this.#bar);
    this.#listen();
  }

  #listen() {
    const fire = (name, detail) => this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
    this.#mute.addEventListener("click", () => fire("duo-mute"));
    this.#hangUp.addEventListener("click", () => fire("duo-hang-up"));
    this.#again.addEventListener("click", () => fire("duo-call-again"));
    this.#dismiss.addEventListener("click", () => fire("duo-call-dismiss"));
    this.#tune.addEventListener("click", () => this.#unfold(this.#settings.hidden));
    this.#modes.addEventListener("change", (event) => fire("duo-call-mode", { mode: event.target.value }));
    for (const [kind, list] of [["microphone", this.#microphones], ["speaker", this.#speakers]]) {
      list.addEventListener("change", () => fire("duo-call-device", { kind, deviceId: list.value }));
    }
    this.#talk.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#talk.setPointerCapture(event.pointerId);
      this.#press();
    });
    for (const name of ["pointerup", "pointercancel", "blur"]) this.#talk.addEventListener(name, () => this.#release());
    this.#talk.addEventListener("keydown", (event) => this.#key(event) && !event.repeat && this.#press());
    this.#talk.addEventListener("keyup", (event) => this.#key(event) && this.#release());
    // A screen reader presses without a finger or a key: then each press switches.
    this.#talk.addEventListener("click", (event) => event.detail === 0 && this.#hold(!this.#held));
    this.#talk.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  #key(event) {
    if (event.key !== " " && event.key !== "Enter") return false;
    event.preventDefault();
    return true;
  }

  #press() {
    this.#pressedMs = this.#held ? -Infinity : performance.now();
    this.#hold(true);
  }

  #release() {
    // A tap leaves it on; the next one, and the end of a long press, switch it off.
    const long = performance.now() - this.#pressedMs > TAP_MS;
    if (this.#held && this.#pressedMs !== 0 && long) this.#hold(false);
    this.#pressedMs = 0;
  }

  #hold(held) {
    if (held === this.#held) return;
    this.#held = held;
    this.#talk.setAttribute("aria-pressed", String(held));
    this.#talk.querySelector("span").textContent = held ? "Talking" : "Hold to talk";
    this.dispatchEvent(new CustomEvent("duo-talk", { bubbles: true, detail: { held } }));
  }

  #unfold(open) {
    this.#settings.hidden = !open;
    this.#tune.setAttribute("aria-expanded", String(open));
    if (open) this.#modes.querySelector("input:checked")?.focus();
  }

  /**
   * @param {object} how
   * @param {"none" | "asking" | "connecting" | "again" | "live"} how.state of the connection.
   * @param {import("../voice.js").Phase} how.phase of the conversation.
   * @param {"open" | "explicit"} how.mode
   * @param {boolean} how.muted
   * @param {string} how.trouble what is wrong, in words; a call that is on goes on.
   * @param {boolean} how.retryable
   * @param {string} how.note in place of the hint.
   */
  show({ state, phase, mode, muted, trouble, retryable, note }) {
    const on = state !== "none";
    this.hidden = !on && !trouble;
    this.#bar.hidden = !on;
    this.#problem.hidden = !trouble;
    if (this.#trouble.textContent !== trouble) this.#trouble.textContent = trouble;
    this.#again.hidden = on || !retryable;
    if (!on) {
      this.#unfold(false);
      this.#hold(false);
    }
    const now = state === "live" ? phase : state;
    this.dataset.phase = muted ? "muted" : now;
    const words = muted && (now === "listening" || now === "hearing") ? "Muted" : WORDS[now] ?? "";
    if (this.#phase.textContent !== words) this.#phase.textContent = words;
    const hint = note || (muted ? "Nobody hears you." : HINTS[now] ?? "");
    if (this.#hint.textContent !== hint) this.#hint.textContent = hint;
    this.#talk.hidden = mode !== "explicit";
    this.#talk.disabled = state !== "live";
    this.#mute.hidden = mode === "explicit";
    this.#showMute(muted);
    for (const input of this.#modes.querySelectorAll("input")) input.checked = input.value === mode;
  }

  #showMute(muted) {
    if (this.#mute.getAttribute("aria-pressed") === String(muted) && this.#mute.firstChild) return;
    this.#mute.setAttribute("aria-pressed", String(muted));
    this.#mute.setAttribute("aria-label", "Mute the microphone");
    this.#mute.replaceChildren(icon(muted ? "muted" : "mic"));
  }

  /** Show how loud the microphone is, 0 to 1. */
  level(level) {
    this.#meter.style.setProperty("--level", level.toFixed(2));
  }

  /** Offer these devices. */
  offer({ microphones, speakers }, chosen) {
    fill(this.#microphones, microphones, chosen.microphone);
    fill(this.#speakers, speakers, chosen.speaker);
    this.#microphones.parentElement.hidden = !microphones.length;
    this.#speakers.parentElement.hidden = !speakers.length;
  }

  focus() {
    (this.#bar.hidden ? (this.#again.hidden ? this.#dismiss : this.#again) : this.#talk.hidden ? this.#mute : this.#talk).focus();
  }
}

function mode(value, name, about) {
  const id = `mode-${value}`;
  const input = el("input", { type: "radio", name: "call-mode", value, id, "aria-describedby": `${id}-about` });
  const label = el("label", { for: id }, name);
  return el("div", { class: "mode" }, input, label, el("p", { id: `${id}-about` }, about));
}

function fill(list, devices, chosen) {
  const known = devices.some((device) => device.deviceId === chosen);
  const options = devices.map((device, at) =>
    el("option", { value: device.deviceId, selected: device.deviceId === chosen }, device.label || `Device ${at + 1}`),
  );
  list.replaceChildren(...options);
  if (!known && devices.length) list.value = devices[0].deviceId;
}

customElements.define("duo-call", CallPanel);
