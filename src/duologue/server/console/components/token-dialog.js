/** <duo-token-dialog>: asks for a token. Fires `duo-token` {token}. */

import { el } from "../dom.js";

class TokenDialog extends HTMLElement {
  #reason = el("p", { id: "token-reason" });
  #field = el("input", { type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true });
  #dialog = el("dialog", { "aria-labelledby": "token-title", "aria-describedby": "token-reason" });

  connectedCallback() {
    const close = () => this.#dialog.close();
    const form = el(
      "form",
      {},
      el("h2", { id: "token-title" }, "Sign in"),
      this.#reason,
      el("label", { for: "token" }, "Token"),
      this.#field,
      el("p", { class: "hint" }, "Kept in this tab only, until it is closed."),
      el(
        "div",
        { class: "buttons" },
        el("button", { type: "button", class: "button", onclick: close }, "Not now"),
        el("button", { type: "submit", class: "button filled" }, "Sign in"),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const token = this.#field.value.trim();
      this.#field.value = "";
      this.#dialog.close();
      this.dispatchEvent(new CustomEvent("duo-token", { bubbles: true, detail: { token } }));
    });
    this.#dialog.append(form);
    this.append(this.#dialog);
  }

  /** @param {string} reason the code of the refusal. */
  ask(reason) {
    this.#reason.textContent = {
      auth_required: "This server asks who you are. Your token comes from whoever runs it.",
      auth_expired: "Your token has expired. Get a new one from whoever runs this server.",
    }[reason] ?? "This token is not valid here.";
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#field.focus();
  }
}

customElements.define("duo-token-dialog", TokenDialog);
