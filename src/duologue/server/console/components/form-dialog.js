/** <duo-form-dialog>: asks for a few words, or a choice, before something is done. */

import { el } from "../dom.js";

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {string} [hint]
 * @property {[string, string][]} [choices] values and their words; without them it is a text.
 * @property {boolean} [required]
 * @property {boolean} [long] several lines.
 * @property {string} [value]
 * @property {number} [most] characters.
 */

class FormDialog extends HTMLElement {
  #title = el("h2", { id: "form-title" });
  #text = el("p", { id: "form-text" });
  #fields = el("div", { class: "fields" });
  #yes = el("button", { type: "submit", class: "button filled" });
  #no = el("button", { type: "button", class: "button" }, "Cancel");
  #form = el("form", { method: "dialog" });
  #dialog = el("dialog", { class: "form", "aria-labelledby": "form-title", "aria-describedby": "form-text" });
  #answer = () => {};

  connectedCallback() {
    this.#form.append(this.#title, this.#text, this.#fields, el("div", { class: "buttons" }, this.#no, this.#yes));
    this.#dialog.append(this.#form);
    this.append(this.#dialog);
    this.#no.addEventListener("click", () => this.#dialog.close());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#dialog.close("yes");
    });
    // Where a line is written, Enter makes a new one; with Ctrl it is done.
    this.#form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#form.requestSubmit();
    });
    this.#dialog.addEventListener("close", () => {
      const given = Object.fromEntries([...new FormData(this.#form)].map(([name, value]) => [name, String(value).trim()]));
      this.#answer(this.#dialog.returnValue === "yes" ? given : null);
    });
  }

  /**
   * @param {{title: string, text?: string, fields?: Field[], yes: string, danger?: boolean}} question
   * @returns {Promise<Record<string, string> | null>} null where it was given up.
   */
  ask({ title, text = "", fields = [], yes, danger = false }) {
    this.#title.textContent = title;
    this.#text.textContent = text;
    this.#text.hidden = !text;
    this.#yes.textContent = yes;
    this.#yes.classList.toggle("danger", danger);
    this.#fields.replaceChildren(...fields.map(drawn));
    this.#dialog.returnValue = "";
    this.#dialog.showModal();
    (this.#fields.querySelector("input, select, textarea") ?? this.#yes).focus();
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }
}

function drawn({ name, label, hint = "", choices, required = false, long = false, value = "", most = 2000 }) {
  const id = `field-${name}`;
  const given = { id, name, required, "aria-describedby": hint ? `${id}-hint` : null };
  const field = choices
    ? el("select", given, ...choices.map(([each, words]) => el("option", { value: each, selected: each === value }, words)))
    : el(long ? "textarea" : "input", { ...given, ...(long ? { rows: 3 } : { type: "text" }), maxlength: most, autocomplete: "off", dir: "auto" });
  if (!choices) field.value = value;
  return el("div", { class: "field" }, el("label", { for: id }, label), field, hint ? el("small", { id: `${id}-hint` }, hint) : null);
}

customElements.define("duo-form-dialog", FormDialog);
