/** <duo-approval-list>: calls that wait for a supervisor. Fires `duo-judge` {approval, approve}. */

import { el, icon } from "../dom.js";
import { sessionAddress } from "../places.js";
import { left } from "../times.js";
import { exactly } from "./approval.js";

const EFFECTS = {
  none: "changes nothing",
  read: "only reads",
  write: "changes something",
  destructive: "cannot be undone",
};

class ApprovalList extends HTMLElement {
  #cards = new Map();
  #count = el("span", { class: "count" });
  #none = el("p", { class: "none" });
  #told = el("p", { class: "decided", role: "status", hidden: true });
  #list = el("ol", { class: "cards", "aria-label": "Approvals that wait" });
  #tick = null;

  connectedCallback() {
    if (!this.firstChild) this.append(el("section", { "aria-label": "Approvals" }, el("h2", {}, "Approvals ", this.#count), this.#told, this.#none, this.#list));
    this.#tick = setInterval(() => this.#countDown(), 1000);
  }

  disconnectedCallback() {
    clearInterval(this.#tick);
  }

  /**
   * @param {import("../desk-api.js").Approval[]} approvals those that wait.
   * @param {{known: boolean, deciding: Set<string>, troubles: Map<string, string>}} how
   */
  show(approvals, { known, deciding, troubles }) {
    this.#count.textContent = approvals.length ? String(approvals.length) : "";
    this.#none.textContent = known ? "Nothing waits for a decision." : "Loading …";
    this.#none.hidden = approvals.length > 0;
    this.#list.hidden = !approvals.length;
    const ids = new Set(approvals.map((each) => each.approvalId));
    for (const [id, card] of this.#cards) {
      if (ids.has(id)) continue;
      card.remove();
      this.#cards.delete(id);
    }
    approvals.forEach((approval, at) => {
      let card = this.#cards.get(approval.approvalId);
      if (!card) {
        card = this.#card(approval);
        this.#cards.set(approval.approvalId, card);
      }
      if (this.#list.children[at] !== card) this.#list.insertBefore(card, this.#list.children[at] ?? null);
      for (const button of card.querySelectorAll("button")) button.disabled = deciding.has(approval.approvalId);
      const trouble = troubles.get(approval.approvalId) ?? "";
      const place = card.querySelector(".problem");
      if (place.textContent !== trouble) place.textContent = trouble;
      place.hidden = !trouble;
    });
    this.#countDown();
  }

  /** Say what became of a decision. */
  tell(words) {
    this.#told.textContent = words;
    this.#told.hidden = !words;
  }

  #card(approval) {
    const judge = (approve) => () => this.dispatchEvent(new CustomEvent("duo-judge", { bubbles: true, detail: { approval, approve } }));
    const id = `approval-${approval.approvalId}`;
    const effect = EFFECTS[approval.sideEffect];
    const card = el(
      "div",
      { class: "decide", role: "group", "aria-labelledby": id },
      el("div", { class: "wants-head" }, icon("shield"), el("p", { class: "question", id, dir: "auto" }, approval.prompt || `Run ${approval.tool}?`)),
      exactly(approval.tool, approval.arguments),
      el(
        "dl",
        { class: "facts-list" },
        fact("For", approval.person),
        effect ? fact("Effect", effect) : null,
        approval.approvalPolicy === "async_pending" ? fact("Also asked", "whoever decides elsewhere") : null,
        fact("Expires in", el("time", { "data-until": approval.expiresAt })),
      ),
      el(
        "div",
        { class: "buttons" },
        el("button", { type: "button", class: "button filled small", onclick: judge(true) }, icon("done"), "Approve"),
        el("button", { type: "button", class: "button small", onclick: judge(false) }, icon("close"), "Deny"),
        el("a", { class: "button bare small", href: sessionAddress(approval.sessionId) }, "See why"),
      ),
      el("p", { class: "problem", role: "alert", hidden: true }),
    );
    return el("li", {}, card);
  }

  #countDown() {
    for (const time of this.#list.querySelectorAll("time[data-until]")) {
      const ms = Number(time.dataset.until) - Date.now();
      time.textContent = ms > 0 ? left(ms) : "now";
    }
  }
}

function fact(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value));
}

customElements.define("duo-approval-list", ApprovalList);
