/** <duo-player>: where in time one is, and going from there. Fires `duo-go` {at}, `duo-step` {by, what}, `duo-play`,
 * `duo-speed` {speed} and `duo-latest`.
 */

import { el, icon } from "../dom.js";

const SPEEDS = [0.5, 1, 2, 5, 20];

class Player extends HTMLElement {
  #slider = el("input", { type: "range", min: 0, step: 1, "aria-label": "Event" });
  #play = el("button", { type: "button", class: "button filled round" });
  #told = el("output", { class: "where", for: "moment" });
  #latest = el("button", { type: "button", class: "button small live" });
  #speed = el("select", { "aria-label": "Speed" }, ...SPEEDS.map((speed) => el("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
  #playing = null;

  connectedCallback() {
    this.#slider.id = "moment";
    const step = (by, what, label, drawing) =>
      el("button", { type: "button", class: "button bare round", "aria-label": label, title: label, onclick: () => this.#fire("duo-step", { by, what }) }, icon(drawing));
    this.#slider.addEventListener("input", () => this.#fire("duo-go", { at: Number(this.#slider.value) }));
    this.#play.addEventListener("click", () => this.#fire("duo-play"));
    this.#speed.addEventListener("change", () => this.#fire("duo-speed", { speed: Number(this.#speed.value) }));
    this.#latest.addEventListener("click", () => this.#fire("duo-latest"));
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Time");
    this.append(
      el("div", { class: "steps" }, step(-1, "turn", "Previous turn", "first"), step(-1, "event", "Previous event", "back"), this.#play, step(1, "event", "Next event", "forward"), step(1, "turn", "Next turn", "last")),
      this.#slider,
      el("div", { class: "side" }, this.#told, this.#speed, this.#latest),
    );
  }

  /**
   * @param {object} how
   * @param {number} how.at
   * @param {number} how.count events there are.
   * @param {string} how.told where that is, in words.
   * @param {string} how.long the same at more length.
   * @param {boolean} how.playing
   * @param {"live" | "waiting" | "over" | "loading"} how.stream whether more comes.
   * @param {boolean} how.atEnd what comes is shown at once.
   */
  show({ at, count, told, long, playing, stream, atEnd }) {
    this.#slider.max = String(Math.max(0, count - 1));
    this.#slider.value = String(at);
    this.#slider.setAttribute("aria-valuetext", long);
    this.#slider.style.setProperty("--done", `${count > 1 ? (at * 100) / (count - 1) : 100}%`);
    this.#told.textContent = told;
    if (this.#playing !== playing) {
      this.#playing = playing;
      this.#play.replaceChildren(icon(playing ? "pause" : "play"));
      this.#play.setAttribute("aria-label", playing ? "Pause" : "Play");
    }
    const words = { live: atEnd ? "Live" : "To live", waiting: "Reconnecting …", loading: "Loading …", over: "To the end" }[stream];
    if (this.#latest.textContent !== words) this.#latest.textContent = words;
    this.#latest.dataset.stream = stream;
    this.#latest.disabled = atEnd || stream === "loading";
  }

  #fire(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}

customElements.define("duo-player", Player);
