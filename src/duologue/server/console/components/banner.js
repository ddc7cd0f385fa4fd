/** <duo-banner>: trouble with the connection, and what to do about it; or else that the agent can do less than usual.
 * Fires `duo-reconnect`, `duo-sign-in`. */

import { el, icon } from "../dom.js";

/** What a person notices of the machine's condition. What they would not notice is not told. */
const LESS = {
  conservative: "The agent is saving power: answers may be simpler and slower than usual.",
  minimal: "The agent can do little right now: answers are simpler, and nothing new is remembered.",
  emergency: "The agent can barely answer right now. Please keep it short, or come back a little later.",
};

class Banner extends HTMLElement {
  #tick = null;
  #link = { name: "connecting" };
  #condition = "full_power";

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
    this.#link = link;
    clearInterval(this.#tick);
    if (link.name === "waiting") this.#waiting(link);
    else if (link.name === "refused") this.#refused(link);
    else this.#conditionAlone();
    this.hidden = !this.hasChildNodes();
  }

  /** Tell how much the machine can do; the connection's trouble comes first. @param {string} condition */
  tell(condition) {
    if (condition === this.#condition) return;
    this.#condition = condition;
    this.show(this.#link);
  }

  #conditionAlone() {
    const words = this.#link.name === "open" ? LESS[this.#condition] : undefined;
    if (!words) return this.replaceChildren();
    this.#fill(this.#condition, el("span", {}, words), null);
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
    this.replaceChildren(icon("alert"), el("p", {}, ...children.slice(0, -1)), ...children.slice(-1).filter(Boolean));
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
