/** <duo-session-head>: which session this is, and what can be done with it. Fires `duo-export`, `duo-delete` and
 * `duo-continue`.
 */

import { copyButton, el, icon } from "../dom.js";
import { at } from "../here.js";
import { sessionAddress } from "../places.js";
import { moment } from "../times.js";

class SessionHead extends HTMLElement {
  #title = el("h2", { id: "session-title", dir: "auto", tabindex: -1 });
  #facts = el("dl", { class: "facts" });
  #id = "";
  #shown = "";
  #desk = el("a", { class: "button small" }, icon("person"), "To the desk");
  #talk = el("a", { class: "button filled small", href: at("/") }, "Continue in Talk");

  connectedCallback() {
    const fire = (name) => () => this.dispatchEvent(new CustomEvent(name, { bubbles: true }));
    // Before the browser follows the link, in whichever tab, the talk page has to know where it goes.
    for (const kind of ["click", "auxclick"]) this.#talk.addEventListener(kind, fire("duo-continue"));
    this.append(
      el("a", { class: "back", href: "#" }, "All sessions"),
      this.#title,
      this.#facts,
      el(
        "div",
        { class: "actions" },
        this.#talk,
        this.#desk,
        el("button", { type: "button", class: "button small", onclick: fire("duo-export") }, icon("down"), "Export"),
        el("button", { type: "button", class: "button small danger", onclick: fire("duo-delete") }, icon("close"), "Delete"),
        copyButton("Copy the id", () => this.#id),
      ),
    );
  }

  /**
   * @param {import("../api.js").Row} row
   * @param {{mine: boolean, state: string, turns: number, events: number}} how as of now, which the row may not know.
   */
  show(row, { mine, state, turns, events }) {
    this.#id = row.sessionId;
    this.#talk.hidden = !mine || state === "ended";
    this.#desk.hidden = state === "ended";
    this.#desk.href = `${at("/operator")}${sessionAddress(row.sessionId)}`;
    const facts = [
      ["State", state],
      ["Person", row.subject],
      ["Agent", row.agent],
      ["Began", moment(row.createdAt)],
      ["Turns", String(turns)],
      ["Events", row.epoch ? `${events}, trimmed ${row.epoch === 1 ? "once" : `${row.epoch} times`}` : String(events)],
      ["Id", row.sessionId],
    ];
    const face = JSON.stringify([row.title, facts]);
    if (face === this.#shown) return;
    this.#shown = face;
    this.#title.textContent = row.title || "Nothing said yet";
    this.#facts.replaceChildren(...facts.map(([name, value]) => el("div", { class: name === "Id" ? "id" : null }, el("dt", {}, name), el("dd", { title: value }, value))));
  }

  focus() {
    this.#title.focus();
  }
}

customElements.define("duo-session-head", SessionHead);
