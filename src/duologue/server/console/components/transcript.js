/** <duo-transcript>: all turns in order. Stays at the end while the person is there, and where they are else.
 * Fires `duo-send` for a suggestion of the welcome, `duo-new` at the end of a session. */

import { el, icon } from "../dom.js";
import { at } from "../here.js";
import { spokenPlace } from "../spoken-view.js";
import "./answer.js";
import "./person.js";

/** Who scrolls down to nearer than this to the end wants to be there, in px: about two lines. */
const NEAR_PX = 56;

/** What the person is saying, as far as it is understood. */
const HEARD = { kind: "person", hearing: true, attachments: [], observation: null, spoken: false };

const UPWARDS = new Set(["ArrowUp", "Home", "PageUp"]);

/** Where a word that is spoken is kept, of the height: what comes next is to be seen as well. */
const READING_AT = 0.4;

/** Rounding of positions on scaled screens, in px. */
const AT_END_PX = 2;

class TranscriptView extends HTMLElement {
  #turns = new Map();
  #follows = true;
  #lastTop = 0;
  #agent = "";
  #list = el("div", { class: "turns" });
  #welcome = el("div", { class: "welcome", hidden: true });
  #ended = el("div", { class: "ended", hidden: true });
  #scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Conversation" });
  #jump = el(
    "button",
    { type: "button", class: "button round jump", "aria-label": "Jump to the latest", hidden: true, onclick: () => this.follow() },
    icon("down"),
  );

  connectedCallback() {
    const fresh = () => this.dispatchEvent(new CustomEvent("duo-new", { bubbles: true }));
    this.#ended.append(
      el("p", {}, "This conversation has ended."),
      el("button", { type: "button", class: "button filled", onclick: fresh }, icon("fresh"), "New conversation"),
    );
    this.#scroller.append(this.#welcome, this.#list, this.#ended);
    this.append(this.#scroller, this.#jump);
    this.#scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    // A step upwards that begins must not be answered by a step to the end, which would cut it short.
    this.#scroller.addEventListener("wheel", (event) => event.deltaY < 0 && this.#letGo(), { passive: true });
    this.#scroller.addEventListener("keydown", (event) => UPWARDS.has(event.key) && this.#letGo());
    // Pictures that load, a window or a keyboard that changes the room: the end moves away without a scroll.
    const sizes = new ResizeObserver(() => this.#keepUp());
    sizes.observe(this.#scroller);
    sizes.observe(this.#list);
  }

  /** Say who is here and what one may ask. */
  greet({ name, suggestions }) {
    this.#agent = name;
    this.#nameSpeakers();
    const send = (text) => () =>
      this.dispatchEvent(new CustomEvent("duo-send", { bubbles: true, detail: { text, attachments: [] } }));
    const chips = suggestions.map((text) => el("button", { type: "button", class: "chip", onclick: send(text) }, text));
    this.#welcome.replaceChildren(
      el("img", { src: at("/console/icon.svg"), alt: "", width: 56, height: 56 }),
      el("h2", {}, `Talk with ${name}`),
      el("p", {}, "Ask something in your own words. The conversation is kept: close the page, lose the network, come back, and go on where you were."),
      el("div", { class: "chips", role: "group", "aria-label": "Suggestions" }, ...chips),
    );
  }

  /**
   * @param {import("../transcript.js").Transcript} transcript
   * @param {import("../outbox.js").Letter[]} letters
   * @param {{online: boolean, known: boolean, reading?: boolean}} how `known`: the history is here, so that none
   *   means empty; `reading`: it is looked at, and nothing can be said.
   */
  show(transcript, letters, { online, known, reading = false }) {
    const { items } = transcript;
    const open = !letters.length && transcript.ended === null;
    const rows = [
      ...items.map((item, at) => ({ key: item.key, item, latest: at === items.length - 1 && open })),
      ...letters.map((letter) => ({ key: `letter-${letter.requestId}`, letter })),
    ];
    const { hearing } = transcript.voice;
    if (hearing) rows.push({ key: "hearing", item: { ...HEARD, text: hearing }, latest: false });
    rows.forEach((row, at) => this.#place(row, at, { online, reading }));
    const keys = new Set(rows.map((row) => row.key));
    for (const [key, turn] of this.#turns) {
      if (keys.has(key)) continue;
      turn.remove();
      this.#turns.delete(key);
    }
    this.#nameSpeakers();
    this.dataset.online = String(online);
    this.#welcome.hidden = !known || rows.length > 0;
    this.#ended.hidden = transcript.ended === null;
    this.#ended.querySelector("button").hidden = reading;
    this.#keepUp();
  }

  /** Say who speaks where it is another one than before. */
  #nameSpeakers() {
    let before = "";
    for (const answer of this.#list.querySelectorAll(":scope > duo-answer")) {
      const speaker = answer.speakerOr(this.#agent);
      answer.name(speaker === before ? "" : speaker);
      before = speaker;
    }
  }

  /** Go to the end and stay there. */
  follow() {
    this.#follows = true;
    this.#keepUp();
  }

  /** Take the focus once there is nothing to write any more. */
  focusEnd() {
    this.#ended.querySelector("button").focus();
  }

  #place({ key, item, letter, latest }, at, { online, reading }) {
    let turn = this.#turns.get(key);
    if (!turn) {
      turn = document.createElement(item?.kind === "answer" ? "duo-answer" : "duo-person");
      this.#turns.set(key, turn);
    }
    if (this.#list.children[at] !== turn) this.#list.insertBefore(turn, this.#list.children[at] ?? null);
    const shows = letter ?? item;
    const how = letter ? online : latest;
    if (turn.shows === shows && turn.how === how) return;
    // A person's turn looks the same, the latest or not.
    const skip = turn.shows === shows && item?.kind === "person";
    turn.shows = shows;
    turn.how = how;
    if (letter) turn.showUnsent(letter, { online });
    else if (!skip) turn.show(item, { latest, reading });
  }

  /** The first step upwards is enough to be let go; a step back down to the end holds on again. */
  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    // Nothing moved: this is the echo of our own step to the end.
    if (scrollTop === this.#lastTop) return;
    const left = scrollHeight - scrollTop - clientHeight;
    // What shrinks also moves upwards, but stays at the end.
    if (left <= AT_END_PX) this.#follows = true;
    else if (scrollTop < this.#lastTop) this.#follows = false;
    else if (left < NEAR_PX) this.#follows = true;
    this.#lastTop = scrollTop;
    this.#jump.hidden = this.#follows;
  }

  #letGo() {
    if (this.#scroller.scrollTop > 0) this.#follows = false;
  }

  #keepUp() {
    if (this.#follows) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
      // An answer is written faster than it is spoken: who listens wants to see where it is.
      const word = spokenPlace();
      const top = this.#scroller.getBoundingClientRect().top + this.#scroller.clientHeight * READING_AT;
      if (word && word.top < top) this.#scroller.scrollTop -= top - word.top;
      this.#lastTop = this.#scroller.scrollTop;
    }
    this.#jump.hidden = this.#follows;
  }
}

customElements.define("duo-transcript", TranscriptView);
