/** <duo-confirm>: makes sure before something is done that cannot be undone. */

import { el } from "../dom.js";

class Confirm extends HTMLElement {
  #title = el("h2", { id: "confirm-title" });
  #text = el("p", { id: "confirm-text" });
  #yes = el("button", { type: "button", class: "button filled danger" });
  #no = el("button", { type: "button", class: "button" }, "Keep it");
  #dialog = el("dialog", { "aria-labelledby": "confirm-title", "aria-describedby": "confirm-text" });
  #answer = () => {};

  connectedCallback() {
    this.#dialog.append(this.#title, this.#text, el("div", { class: "buttons" }, this.#no, this.#yes));
    this.append(this.#dialog);
    this.#no.addEventListener("click", () => this.#dialog.close());
    this.#yes.addEventListener("click", () => this.#dialog.close("yes"));
    this.#dialog.addEventListener("close", () => this.#answer(this.#dialog.returnValue === "yes"));
  }

  /**
   * @param {{title: string, text: string, yes: string}} question
   * @returns {Promise<boolean>}
   */
  ask({ title, text, yes }) {
    this.#title.textContent = title;
    this.#text.textContent = text;
    this.#yes.textContent = yes;
    this.#dialog.returnValue = "";
    this.#dialog.showModal();
    this.#no.focus();
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }
}

customElements.define("duo-confirm", Confirm);
