/** <duo-composer>: where the person writes. Fires `duo-send` {text, attachments}, `duo-call` and `duo-stop`.
 *
 * `uploader` has to be set: takes a file and a signal, gives an attachment or throws an error for the person.
 */

import { el, icon } from "../dom.js";
import { MOST, shownSize, TAKEN } from "../uploads.js";

/** Longest message in code points. Source: `limits.TURN_TEXT_CHARS`. */
const LONGEST = 65_536;

class Composer extends HTMLElement {
  uploader = null;
  #files = [];
  #text = el("textarea", {
    id: "message",
    rows: 1,
    placeholder: "Write a message",
    "aria-label": "Message",
    "aria-describedby": "message-hint",
    enterkeyhint: "send",
    autocomplete: "off",
    dir: "auto",
  });
  #hint = el("p", { class: "hint", id: "message-hint" }, "Enter sends, Shift + Enter makes a new line.");
  #trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  #shelf = el("ul", { class: "shelf", "aria-label": "Attached files", hidden: true });
  #picker = el("input", { type: "file", multiple: true, accept: TAKEN, hidden: true, tabindex: -1, "aria-label": "Files to attach" });
  #attach = el("button", { type: "button", class: "button bare round", "aria-label": "Attach files" }, icon("attach"));
  #speak = el("button", { type: "button", class: "button bare round", "aria-label": "Talk by voice", title: "Talk by voice" }, icon("mic"));
  #stop = el("button", { type: "button", class: "button round stop", "aria-label": "Stop the answer", hidden: true }, icon("stop"));
  #send = el("button", { type: "submit", class: "button filled round", "aria-label": "Send", disabled: true }, icon("send"));

  connectedCallback() {
    const buttons = el("div", { class: "buttons" }, this.#speak, this.#stop, this.#send);
    const sheet = el("form", { class: "sheet", "aria-label": "New message" }, this.#shelf, this.#attach, this.#text, buttons, this.#picker);
    this.append(this.#trouble, sheet, this.#hint);
    sheet.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#text.addEventListener("input", () => this.#changed());
    this.#text.addEventListener("keydown", (event) => this.#key(event));
    this.#text.addEventListener("paste", (event) => this.#add(event.clipboardData?.files, event));
    sheet.addEventListener("dragover", (event) => event.preventDefault());
    sheet.addEventListener("drop", (event) => this.#add(event.dataTransfer?.files, event));
    // A click beside the text means the text.
    sheet.addEventListener("click", (event) => event.target === sheet && this.#text.focus());
    this.#attach.addEventListener("click", () => this.#picker.click());
    this.#picker.addEventListener("change", () => {
      this.#add(this.#picker.files);
      this.#picker.value = "";
    });
    this.#speak.addEventListener("click", () => this.dispatchEvent(new CustomEvent("duo-call", { bubbles: true })));
    this.#stop.addEventListener("click", () => this.dispatchEvent(new CustomEvent("duo-stop", { bubbles: true })));
  }

  /** @param {{running: boolean, ended: boolean, calling?: boolean, online?: boolean}} how */
  show({ running, ended, calling = false, online = false }) {
    this.#speak.hidden = calling;
    this.#speak.disabled = !online;
    if (this.#stop.hidden === running) {
      // The focus must not fall off a button that goes away.
      if (!running && document.activeElement === this.#stop) this.#text.focus();
      this.#stop.hidden = !running;
    }
    this.hidden = ended;
  }

  focus() {
    this.#text.focus();
  }

  /** Take the focus where a call began. */
  focusCall() {
    this.#speak.hidden = false;
    this.#speak.focus();
  }

  #key(event) {
    // While an input method composes, Enter belongs to it.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#submit();
  }

  #submit() {
    const text = this.#text.value.trim();
    if (this.#send.disabled) return;
    const length = [...text].length;
    if (length > LONGEST) {
      this.#complain(`The message has ${length.toLocaleString()} characters; at most ${LONGEST.toLocaleString()} can be sent.`);
      return;
    }
    const attachments = this.#files.map((file) => file.attachment).filter(Boolean);
    this.#text.value = "";
    this.#files = [];
    this.#showShelf();
    this.#changed();
    this.dispatchEvent(new CustomEvent("duo-send", { bubbles: true, detail: { text, attachments } }));
  }

  #changed() {
    this.#complain("");
    this.#text.style.height = "auto";
    // scrollHeight leaves the border out, and the sheet has it.
    this.#text.style.height = `${this.#text.scrollHeight}px`;
    const loading = this.#files.some((file) => file.loading);
    const something = this.#text.value.trim() || this.#files.some((file) => file.attachment);
    this.#send.disabled = loading || !something;
  }

  #complain(words) {
    this.#trouble.textContent = words;
    this.#trouble.hidden = !words;
  }

  #add(files, event) {
    if (!files?.length) return;
    event?.preventDefault();
    const room = MOST - this.#files.length;
    for (const file of [...files].slice(0, room)) this.#upload(file);
    this.#changed();
    if (files.length > room) this.#complain(`At most ${MOST} files fit one message.`);
  }

  async #upload(file) {
    const stop = new AbortController();
    const entry = { name: file.name, size: file.size, loading: true, attachment: null, error: "", stop };
    if (file.type.startsWith("image/")) entry.preview = URL.createObjectURL(file);
    this.#files.push(entry);
    this.#showShelf();
    try {
      entry.attachment = await this.uploader(file, stop.signal);
    } catch (error) {
      entry.error = error.message;
    }
    entry.loading = false;
    if (!this.#files.includes(entry)) return;
    this.#showShelf();
    this.#changed();
  }

  #remove(entry) {
    entry.stop.abort();
    if (entry.preview) URL.revokeObjectURL(entry.preview);
    this.#files = this.#files.filter((other) => other !== entry);
    this.#showShelf();
    this.#changed();
    this.#text.focus();
  }

  #showShelf() {
    this.#shelf.hidden = !this.#files.length;
    this.#shelf.replaceChildren(
      ...this.#files.map((entry) => {
        const label = `Remove ${entry.name}`;
        const state = entry.loading ? "Uploading …" : entry.error || shownSize(entry.size);
        return el(
          "li",
          { class: entry.error ? "file problem" : "file" },
          entry.preview ? el("img", { src: entry.preview, alt: "" }) : icon(entry.error ? "alert" : "file"),
          el("span", { class: "name" }, entry.name),
          el("span", { class: "size" }, state),
          el("button", { type: "button", class: "button bare", "aria-label": label, onclick: () => this.#remove(entry) }, icon("close")),
        );
      }),
    );
  }
}

customElements.define("duo-composer", Composer);
