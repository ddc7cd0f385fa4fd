/** <duo-approval>: asks whether a tool may do what it says here, exactly so. Fires `duo-decide` {approvalId, toolCallId,
 * input, digest, approve, refused}; call `refused` with words for the person where it was not taken.
 */

import { el, icon } from "../dom.js";
import { left } from "../times.js";
import { tree } from "./payload.js";

class ApprovalCard extends HTMLElement {
  #tick = null;
  #asks = null;
  #question = el("p", { class: "question", dir: "auto" });
  #exact = el("div", { class: "exact" });
  #expires = el("span", { class: "expires" });
  #trouble = el("p", { class: "problem", role: "alert", hidden: true });
  #approve = el("button", { type: "button", class: "button filled" }, icon("done"), "Approve");
  #deny = el("button", { type: "button", class: "button" }, icon("close"), "Deny");
  #buttons = el("div", { class: "buttons" }, this.#approve, this.#deny);

  connectedCallback() {
    if (!this.firstChild) {
      this.setAttribute("role", "group");
      this.#approve.addEventListener("click", () => this.#decide(true));
      this.#deny.addEventListener("click", () => this.#decide(false));
      const head = el("div", { class: "wants-head" }, icon("shield"), this.#question);
      this.append(head, this.#exact, el("div", { class: "wants-foot" }, this.#buttons, this.#expires), this.#trouble);
    }
    this.#tick = setInterval(() => this.#count(), 1000);
    this.#count();
  }

  disconnectedCallback() {
    clearInterval(this.#tick);
  }

  /**
   * @param {import("../acting.js").Tool} tool one that waits for its `approval`.
   * @param {{reading: boolean}} how who only reads decides nothing.
   */
  show(tool, { reading }) {
    const again = this.#asks?.approval.id === tool.approval.id;
    this.#asks = tool;
    this.setAttribute("aria-label", `Approval: ${tool.name}`);
    this.#question.textContent = tool.approval.message;
    if (!again) this.#exact.replaceChildren(exactly(tool.name, tool.input));
    this.#buttons.hidden = reading;
    this.#count();
  }

  #decide(approve) {
    const { approval, id: toolCallId, input, digest } = this.#asks;
    this.#busy(true);
    this.#complain("");
    const refused = (words) => {
      this.#busy(false);
      this.#complain(words);
    };
    const detail = { approvalId: approval.id, toolCallId, input, digest, approve, refused };
    this.dispatchEvent(new CustomEvent("duo-decide", { bubbles: true, detail }));
  }

  #busy(busy) {
    this.#approve.disabled = this.#deny.disabled = busy;
    this.setAttribute("aria-busy", String(busy));
  }

  #complain(words) {
    this.#trouble.textContent = words;
    this.#trouble.hidden = !words;
  }

  #count() {
    const { expiresAt = "" } = this.#asks?.approval ?? {};
    if (!expiresAt) return;
    const ms = Date.parse(expiresAt) - Date.now();
    this.#expires.textContent = ms > 0 ? `Expires in ${left(ms)}` : "Expired: ask again.";
    if (ms <= 0) this.#buttons.hidden = true;
  }
}

/** What is approved, to the letter. */
export function exactly(name, input) {
  const none = !input || !Object.keys(input).length;
  return el(
    "div",
    { class: "anything" },
    el("p", { class: "exact-name" }, "Exactly this: ", el("code", {}, name), none ? ", with no values" : null),
    none ? null : tree(input),
  );
}

customElements.define("duo-approval", ApprovalCard);
