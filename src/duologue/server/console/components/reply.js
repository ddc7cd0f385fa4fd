/** <duo-reply>: where an operator answers. Fires `duo-reply` {text, taken, refused} and `duo-take`. */

import { el, icon } from "../dom.js";

/** Longest answer in code points. Source: `limits.TURN_TEXT_CHARS`. */
const LONGEST = 65_536;

class Reply extends HTMLElement {
  #text = el("textarea", { id: "reply", rows: 1, placeholder: "Write to the customer", "aria-label": "Answer", "aria-describedby": "reply-hint", enterkeyhint: "send", autocomplete: "off", dir: "auto" });
  #send = el("button", { type: "submit", class: "button filled round", "aria-label": "Send", disabled: true }, icon("send"));
  #sheet = el("form", { class: "sheet", "aria-label": "Your answer" }, this.#text, el("div", { class: "buttons" }, this.#send));
  #hint = el("p", { class: "hint", id: "reply-hint" }, "Enter sends, Shift + Enter makes a new line.");
  #trouble = el("p", { class: "trouble-line", role: "alert", hidden: true });
  #note = el("p", { class: "reply-note", role: "status" });
  #sending = false;

  connectedCallback() {
    this.append(this.#trouble, this.#note, this.#sheet, this.#hint);
    this.#text.addEventListener("input", () => this.#changed());
    this.#text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    this.#sheet.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#sheet.addEventListener("click", (event) => event.target === this.#sheet && this.#text.focus());
  }

  /** @param {{mine: boolean, note: string}} how `note`: why one cannot answer now, or what that does. */
  show({ mine, note }) {
    this.#sheet.hidden = this.#hint.hidden = !mine;
    if (this.#note.textContent !== note) this.#note.textContent = note;
    this.#note.hidden = !note;
    if (!mine) this.#complain("");
  }

  focus() {
    this.#text.focus();
  }

  /** Forget what was begun: it is another conversation. */
  clear() {
    this.#text.value = "";
    this.#complain("");
    this.#changed();
  }

  #submit() {
    const text = this.#text.value.trim();
    if (!text || this.#sending) return;
    if ([...text].length > LONGEST) return this.#complain(`At most ${LONGEST.toLocaleString()} characters can be sent at once. Send it in parts.`);
    this.#busy(true);
    const detail = {
      text,
      taken: () => {
        this.#busy(false);
        if (this.#text.value.trim() === text) this.clear();
      },
      refused: (words) => {
        this.#busy(false);
        this.#complain(words);
      },
    };
    this.dispatchEvent(new CustomEvent("duo-reply", { bubbles: true, detail }));
  }

  #busy(busy) {
    this.#sending = busy;
    this.#sheet.setAttribute("aria-busy", String(busy));
    this.#changed();
  }

  #changed() {
    if (!this.#sending) this.#complain("");
    this.#text.style.height = "";
    // Without words it is one row; what is hidden has no height to be told.
    if (this.#text.value) this.#text.style.height = `${this.#text.scrollHeight}px`;
    this.#send.disabled = this.#sending || !this.#text.value.trim();
  }

  #complain(words) {
    this.#trouble.textContent = words;
    this.#trouble.hidden = !words;
  }
}

customElements.define("duo-reply", Reply);
