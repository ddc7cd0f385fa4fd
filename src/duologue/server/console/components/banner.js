/** <duo-banner>: trouble with the connection, and what to do about it. Fires `duo-reconnect`, `duo-sign-in`. */

import { el, icon } from "../dom.js";

class Banner extends HTMLElement {
  #tick = null;

  connectedCallback() {
    this.setAttribute("role", "status");
    this.hidden = true;
  }

  disconnectedCallback() {
    clearInterval(this.#tick);
  }

  /** @param {import("../connection.js").Link} link */
  show(link) {
    // A try that is under way says nothing new: the banner stays until one has succeeded.
    if (link.name === "connecting") return;
    clearInterval(this.#tick);
    this.hidden = link.name !== "waiting" && link.name !== "refused";
    if (link.name === "waiting") this.#waiting(link);
    else if (link.name === "refused") this.#refused(link);
    else this.replaceChildren();
  }

  #waiting(link) {
    const left = el("span", { class: "left", "aria-hidden": "true" });
    const count = () => {
      const seconds = Math.ceil((link.retryAtMs - Date.now()) / 1000);
      left.textContent = seconds > 0 ? `Next try in ${seconds} s.` : "Trying now …";
    };
    const words = el("span", {}, "Connection lost. What you write is kept and sent later. ");
    // Said once, not at each try: a region that has not changed is not read again.
    if (this.dataset.shows === "waiting") this.querySelector(".left").replaceWith(left);
    else this.#fill("waiting", words, left, this.#button("Try now", "duo-reconnect"));
    count();
    this.#tick = setInterval(count, 500);
  }

  #refused(link) {
    const button = link.signIn ? this.#button("Sign in", "duo-sign-in") : this.#button("Try again", "duo-reconnect");
    const words = link.signIn ? "This server asks for a token." : link.message;
    this.#fill("refused", el("span", {}, words), button);
  }

  #fill(shows, ...children) {
    this.dataset.shows = shows;
    this.replaceChildren(icon("alert"), el("p", {}, ...children.slice(0, -1)), children.at(-1));
  }

  #button(label, event) {
    const fire = () => this.dispatchEvent(new CustomEvent(event, { bubbles: true }));
    return el("button", { type: "button", class: "button small", onclick: fire }, label);
  }

  replaceChildren(...children) {
    if (!children.length) delete this.dataset.shows;
    super.replaceChildren(...children);
  }
}

customElements.define("duo-banner", Banner);
