/** <duo-memories>: what is remembered of the person, to be seen and forgotten. Fires `duo-announce` {words}.
 *
 * `keeper` has to be set: gives, forgets and exports memories, and says whether any are kept at all.
 */

import { adviceFor } from "../advice.js";
import { el, icon } from "../dom.js";
import { ago, moment } from "../times.js";

const KINDS = { fact: "Fact", preference: "Preference", event: "Event", entity: "Name or thing" };

class Memories extends HTMLElement {
  /** @type {import("../memory-api.js") | null} */
  keeper = null;
  #items = [];
  #title = el("h2", { id: "memories-title", tabindex: -1 }, "What is remembered of you");
  #about = el("p", {}, "Kept across conversations, so that you need not say it twice. Only you, and whoever runs this server, see it.");
  #list = el("ul", { class: "memories", "aria-labelledby": "memories-title" });
  #told = el("p", { class: "memories-told", role: "status" });
  #trouble = el("p", { class: "problem", role: "alert", hidden: true });
  #optOut = el("input", { type: "checkbox", id: "memories-opt" });
  #opt = el("label", { class: "memories-opt", for: "memories-opt", hidden: true }, this.#optOut, "Remember what I say from now on");
  #all = el("button", { type: "button", class: "button danger" }, "Forget everything");
  #save = el("button", { type: "button", class: "button" }, icon("down"), "Save a copy");
  #close = el("button", { type: "button", class: "button filled" }, "Close");
  #dialog = el("dialog", { class: "panel", "aria-labelledby": "memories-title" });

  connectedCallback() {
    this.#dialog.append(this.#title, this.#about, this.#trouble, this.#told, this.#list, this.#opt, el("div", { class: "buttons" }, this.#all, this.#save, this.#close));
    this.append(this.#dialog);
    this.#close.addEventListener("click", () => this.#dialog.close());
    this.#all.addEventListener("click", () => this.#forgetAll());
    this.#save.addEventListener("click", () => this.#attempt(() => this.keeper.save()));
    this.#optOut.addEventListener("change", () => this.#attempt(() => this.keeper.remember(this.#optOut.checked)));
    this.#dialog.addEventListener("close", () => this.#sure(false));
  }

  async open() {
    this.#complain("");
    this.#items = [];
    this.#list.replaceChildren();
    this.#told.textContent = "Loading …";
    this.#dialog.showModal();
    this.#title.focus();
    await this.#attempt(() => this.#read());
  }

  async #read() {
    const { items, remembers } = await this.keeper.list();
    this.#items = items;
    this.#opt.hidden = remembers === null;
    this.#optOut.checked = remembers === true;
    this.#draw();
  }

  #draw() {
    this.#told.textContent = this.#items.length ? "" : "Nothing is remembered. What you tell of yourself, such as what you like or where you live, shows here.";
    this.#all.hidden = this.#save.hidden = !this.#items.length;
    this.#list.replaceChildren(...this.#items.map((item) => this.#entry(item)));
  }

  #entry(item) {
    const forget = el("button", { type: "button", class: "button small", "aria-label": `Forget: ${item.text}` }, icon("close"), "Forget");
    forget.addEventListener("click", () => this.#forget(item));
    const since = item.atMs ? el("time", { datetime: new Date(item.atMs).toISOString(), title: moment(item.atMs) }, ago(item.atMs)) : null;
    return el("li", {}, el("p", { dir: "auto" }, item.text), el("p", { class: "memory-facts" }, KINDS[item.kind] ?? item.kind, since ? " · " : null, since), forget);
  }

  #forget(item) {
    return this.#attempt(async () => {
      await this.keeper.forget(item.memoryId);
      const at = this.#items.indexOf(item);
      this.#items = this.#items.filter((other) => other !== item);
      this.#draw();
      // The focus must not fall off what is gone.
      (this.#list.children[Math.min(at, this.#items.length - 1)]?.querySelector("button") ?? this.#close).focus();
      this.#told.textContent ||= "Forgotten.";
    });
  }

  #forgetAll() {
    if (!this.#sure()) return this.#sure(true);
    return this.#attempt(async () => {
      await this.keeper.forgetAll();
      this.#items = [];
      this.#draw();
      this.#sure(false);
      this.#close.focus();
    });
  }

  /** A second press makes sure. */
  #sure(now) {
    if (now !== undefined) {
      this.#all.dataset.sure = String(now);
      this.#all.textContent = now ? "Yes, forget everything" : "Forget everything";
    }
    return this.#all.dataset.sure === "true";
  }

  async #attempt(work) {
    this.#complain("");
    try {
      await work();
    } catch (error) {
      this.#told.textContent = "";
      this.#complain(adviceFor(error));
      this.#all.hidden = this.#save.hidden = !this.#items.length;
    }
  }

  #complain(words) {
    this.#trouble.textContent = words;
    this.#trouble.hidden = !words;
  }
}

customElements.define("duo-memories", Memories);
