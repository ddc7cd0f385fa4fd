/** <duo-context>: what one should know before answering: why, what was so far, who it is, how they feel, what a
 * supervisor says. Fires `duo-consult` {text, taken, refused}.
 */

import { el } from "../dom.js";
import "./moods.js";
import { tree } from "./payload.js";

class Context extends HTMLElement {
  #face = "";
  #why = part("Why a person");
  #summary = part("So far");
  #customer = part("The customer");
  #memory = part("Remembered");
  #moods = el("duo-moods");
  #feels = el("section", { "aria-label": "Moods" }, el("h3", {}, "Moods"), this.#moods);
  #notes = el("ol", { class: "notes", "aria-label": "Words with a supervisor" });
  #question = el("input", { type: "text", id: "consult", autocomplete: "off", maxlength: 4000, placeholder: "Ask a supervisor", "aria-label": "To the supervisor, unseen by the customer", dir: "auto" });
  #ask = el("button", { type: "submit", class: "button small" }, "Ask");
  #form = el("form", { class: "consult" }, this.#question, this.#ask);
  #trouble = el("p", { class: "problem", role: "alert", hidden: true });
  #beside = el("section", { "aria-label": "Supervisor" }, el("h3", {}, "Supervisor"), el("p", { class: "none" }, "The customer sees nothing of this."), this.#notes, this.#form, this.#trouble);

  connectedCallback() {
    if (this.firstChild) return;
    this.setAttribute("role", "complementary");
    this.setAttribute("aria-label", "Context");
    this.append(this.#summary.section, this.#feels, this.#why.section, this.#beside, this.#customer.section, this.#memory.section);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
  }

  /**
   * @param {object} known
   * @param {[string, string][]} known.why
   * @param {any} known.summary
   * @param {any} known.customer
   * @param {any} known.memory
   * @param {import("../acting.js").Mood[]} known.moods
   * @param {import("../desk-api.js").Word[]} known.notes
   * @param {"ask" | "answer" | "none"} known.beside what one can say to the supervisor, or as one.
   */
  show({ why, summary, customer, memory, moods, notes, beside }) {
    this.#moods.show(moods);
    this.#form.hidden = beside === "none";
    const words = beside === "answer" ? ["Answer the operator", "Answer"] : ["Ask a supervisor", "Ask"];
    if (this.#question.placeholder !== words[0]) [this.#question.placeholder, this.#ask.textContent] = words;
    this.#beside.hidden = beside === "none" && !notes.length;
    const face = JSON.stringify([why, summary, customer, memory, notes]);
    if (face === this.#face) return;
    this.#face = face;
    fill(this.#why, why.length ? el("dl", { class: "facts-list" }, ...why.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, value)))) : null, "No reason was told.");
    fill(this.#summary, said(summary), "Nothing is told beside the conversation.");
    fill(this.#customer, said(customer), "Nothing is known.");
    fill(this.#memory, said(memory), "");
    this.#memory.section.hidden = !memory || !Object.keys(memory).length;
    this.#notes.replaceChildren(...notes.map(({ by, text, answer = false }) => el("li", { class: answer ? "answer" : null }, el("strong", {}, by.name), " ", el("span", { dir: "auto" }, text))));
  }

  #send() {
    const text = this.#question.value.trim();
    if (!text) return;
    this.#ask.disabled = true;
    const done = (words) => {
      this.#ask.disabled = false;
      this.#trouble.textContent = words;
      this.#trouble.hidden = !words;
    };
    const detail = {
      text,
      taken: () => {
        done("");
        this.#question.value = "";
      },
      refused: done,
    };
    this.dispatchEvent(new CustomEvent("duo-consult", { bubbles: true, detail }));
  }
}

function part(words) {
  const body = el("div", { class: "body" });
  const section = el("section", { "aria-label": words }, el("h3", {}, words), body);
  return { section, body };
}

function fill({ body }, content, none) {
  body.replaceChildren(content ?? el("p", { class: "none" }, none));
}

/** A text as a text, a list of texts as a list, all else by its names. */
function said(value) {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string") return el("p", { dir: "auto" }, value);
  if (Array.isArray(value)) {
    if (!value.length) return null;
    return el("ul", {}, ...value.map((each) => el("li", { dir: "auto" }, typeof each === "string" ? each : (each.text ?? each.title ?? JSON.stringify(each)))));
  }
  return Object.keys(value).length ? el("div", { class: "anything" }, tree(value)) : null;
}

customElements.define("duo-context", Context);
