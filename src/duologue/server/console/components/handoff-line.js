/** <duo-handoff-line>: who answers, where that is not the agent alone. Fires `duo-handoff-cancel` {handoffId}. */

import { goesOn } from "../acting.js";
import { el, icon } from "../dom.js";
import { roughly } from "../times.js";

const WAITING = new Set(["requested", "queued"]);

class HandoffLine extends HTMLElement {
  #shown = "";

  connectedCallback() {
    this.hidden = true;
    this.setAttribute("role", "status");
    this.setAttribute("aria-label", "Who answers");
  }

  /**
   * @param {import("../acting.js").Handoff[]} handoffs
   * @param {{ended: boolean}} how
   */
  show(handoffs, { ended }) {
    const [handoff = null] = handoffs;
    const words = handoff && !ended ? wordsOf(handoff, handoffs) : null;
    this.hidden = words === null;
    const face = JSON.stringify([words, handoff?.status, handoff?.handoffId]);
    if (this.#shown === face) return;
    this.#shown = face;
    this.dataset.status = handoff?.status ?? "";
    if (!words) return this.replaceChildren();
    const waits = WAITING.has(handoff.status) && handoff.handoffId;
    const cancel = () => this.dispatchEvent(new CustomEvent("duo-handoff-cancel", { bubbles: true, detail: { handoffId: handoff.handoffId } }));
    this.replaceChildren(
      icon(handoff.status === "failed" ? "alert" : "person"),
      el("p", {}, el("strong", {}, words[0]), ...(words[1] ? [" ", words[1]] : [])),
      ...(waits ? [el("button", { type: "button", class: "button small", onclick: cancel }, "Never mind")] : []),
    );
  }
}

/** What else goes on beside what a person has. */
function beside(handoffs) {
  const others = handoffs.slice(1).filter(goesOn);
  if (others.some((each) => each.transferType === "supervisor_consult")) return "A colleague is asked.";
  return others.length ? "You are being passed on to somebody else." : "";
}

/** What it is, and what that means for the person; null where there is nothing to say. */
function wordsOf({ status, operator, target, position, waitMs, failure, transferType }, handoffs) {
  const who = operator || "A person";
  switch (status) {
    case "requested":
      return ["Asking for a person.", "You can go on writing meanwhile."];
    case "queued":
      return ["Waiting for a person.", `${place(position)}${waitMs === null ? "" : `, ${roughly(waitMs)}`}. You can go on writing meanwhile.`];
    case "connecting":
      return [`${who} is reading what was said.`, ""];
    case "connected":
      return [`You are talking with ${operator || "a person"}.`, beside(handoffs)];
    case "on_hold":
      return ["On hold.", `${who} will be back.`];
    case "transferred":
      return transferType === "bot_to_bot" ? null : [`You are being passed on${target ? ` to ${target}` : ""}.`, ""];
    case "failed":
      return ["No person can be reached now.", failure];
    default:
      return null;
  }
}

function place(position) {
  if (position <= 0) return "You are in the queue";
  return position === 1 ? "You are next" : `You are number ${position}`;
}

customElements.define("duo-handoff-line", HandoffLine);
