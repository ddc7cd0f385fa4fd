/** <duo-observe>: the agent asks to be shown something, a photo or a tag. Fires `duo-show` {interactionId, observation}
 * and `duo-not-shown` {interactionId}.
 *
 * `uploader` of the class has to be set: takes a file and a signal, gives an upload or throws an error for the person.
 */

import { el, icon } from "../dom.js";
import { readRecord, tagId, textRecord, uriRecord } from "../ndef.js";
import { prepare } from "../photo.js";
import { left } from "../times.js";
import { shownSize } from "../uploads.js";

const DONE = { resolved: "Shown.", cancelled: "Not shown.", expired: "Not shown in time. Ask again." };

/** How long a tag is waited for, in ms. */
const READING_MS = 60_000;

export class Observe extends HTMLElement {
  /** @type {((file: File, signal: AbortSignal) => Promise<any>) | null} */
  static uploader = null;
  #ask = null;
  #tick = null;
  #stop = null;
  #preview = "";
  #question = el("p", { class: "question", dir: "auto" });
  #body = el("div", { class: "observe-body" });
  #expires = el("span", { class: "expires" });
  #trouble = el("p", { class: "problem", role: "alert", hidden: true });
  #told = el("p", { class: "observe-told", role: "status", hidden: true });

  connectedCallback() {
    this.#tick = setInterval(() => this.#count(), 1000);
  }

  disconnectedCallback() {
    clearInterval(this.#tick);
    this.#reset();
  }

  /**
   * @param {import("../acting.js").Ask} ask
   * @param {{reading: boolean}} how
   */
  show(ask, { reading }) {
    const began = this.#ask !== null;
    const before = this.#ask?.state;
    this.#ask = ask;
    if (!began) this.#begin(ask);
    if (before === ask.state) return;
    this.dataset.state = ask.state;
    if (ask.state !== "open") {
      this.#reset();
      this.#body.replaceChildren(el("p", { class: "observe-done" }, DONE[ask.state]));
    } else if (reading) {
      this.#body.replaceChildren(el("p", { class: "observe-done" }, "Waits to be shown."));
    }
    this.#count();
  }

  #begin(ask) {
    const photo = ask.about.modality !== "nfc";
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", photo ? "A photo is asked for" : "A tag is asked for");
    this.#question.textContent = ask.message;
    this.append(el("div", { class: "wants-head" }, icon(photo ? "camera" : "tag"), this.#question), this.#body, this.#told, this.#trouble, this.#expires);
    if (photo) this.#offerPhoto();
    else this.#offerTag();
  }

  get #interactionId() {
    return this.#ask.about.interactionId ?? this.#ask.id;
  }

  // --- a photo

  #offerPhoto() {
    const input = (label, attributes) => {
      const field = el("input", { type: "file", accept: "image/*", class: "unseen", tabindex: -1, "aria-label": label, ...attributes });
      field.addEventListener("change", () => {
        const [file] = field.files;
        field.value = "";
        if (file) this.#look(file);
      });
      return field;
    };
    const camera = input("Photo from the camera", { capture: "environment" });
    const choice = input("Photo from a file", {});
    this.#body.replaceChildren(
      el(
        "div",
        { class: "buttons" },
        el("button", { type: "button", class: "button filled", onclick: () => camera.click() }, icon("camera"), "Take a photo"),
        el("button", { type: "button", class: "button", onclick: () => choice.click() }, icon("file"), "Choose a file"),
        this.#decline(),
      ),
      camera,
      choice,
    );
  }

  async #look(file) {
    this.#complain("");
    this.#tell("Looking at it …");
    let photo;
    try {
      photo = await prepare(file);
    } catch (error) {
      this.#tell("");
      this.#complain(error.message);
      return;
    }
    this.#tell("");
    this.#reset();
    this.#preview = URL.createObjectURL(photo.file);
    const size = `${photo.width} × ${photo.height}, ${shownSize(photo.file.size)}${photo.shrunk ? ", made smaller" : ""}`;
    const send = el("button", { type: "button", class: "button filled" }, icon("send"), "Show this photo");
    const again = el("button", { type: "button", class: "button", onclick: () => this.#again() }, icon("retry"), "Another one");
    send.addEventListener("click", () => this.#send(photo, send));
    const picture = el("img", { class: "preview", src: this.#preview, alt: "The photo as it will be shown" });
    picture.addEventListener("error", () => {
      this.#again();
      this.#complain(`${file.name} is damaged: its picture cannot be shown. Take a photo, or choose another one.`);
    });
    this.#body.replaceChildren(
      picture,
      el("p", { class: "observe-facts" }, size),
      el("div", { class: "buttons" }, send, again),
    );
    send.focus();
  }

  #again() {
    this.#reset();
    this.#offerPhoto();
    this.#body.querySelector("button").focus();
  }

  async #send(photo, button) {
    button.disabled = true;
    this.#complain("");
    this.#tell("Sending the photo …");
    this.#stop = new AbortController();
    try {
      const { uploadId, mediaType, sha256 } = await Observe.uploader(photo.file, this.#stop.signal);
      this.#fire({ kind: "photo", uploadId, mediaType, sha256, width: photo.width, height: photo.height, observedAt: now() });
      this.#tell("Sent. It is being looked at …");
    } catch (error) {
      if (error.name === "AbortError") return;
      button.disabled = false;
      this.#tell("");
      this.#complain(`${error.message} Try again, or take another photo.`);
    }
  }

  // --- a tag

  #offerTag() {
    const able = "NDEFReader" in window;
    const read = el("button", { type: "button", class: "button filled", onclick: () => this.#read() }, icon("tag"), "Read the tag");
    const form = this.#tagForm();
    form.hidden = able;
    const write = el("button", { type: "button", class: "button", onclick: () => {
      form.hidden = false;
      form.querySelector("input").focus();
    } }, "Type it in");
    const unable = "This browser cannot read tags. Type in what is printed on it, or what another reader shows.";
    this.#body.replaceChildren(
      el("p", { class: "observe-facts", hidden: able }, unable),
      form,
      ...(able ? [el("div", { class: "buttons" }, read, write, this.#decline())] : []),
    );
    if (!able) form.lastElementChild.append(this.#decline());
  }

  #tagForm() {
    const field = (label, hint, attributes) => {
      const input = el("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes });
      return [el("label", {}, el("span", {}, label), input, el("small", {}, hint)), input];
    };
    const [number, id] = field("Number of the tag", "Pairs of hex digits, such as 04:a2:2b", { required: true, maxlength: 96, inputmode: "text" });
    const [words, holds] = field("What is on it", "An address or a text; empty for a blank tag", { maxlength: 2000 });
    const form = el("form", { class: "tag-form", "aria-label": "The tag" }, number, words, el("div", { class: "buttons" }, el("button", { type: "submit", class: "button filled" }, icon("send"), "Show this tag")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const found = tagId(id.value);
      if (!found) {
        this.#complain("A tag's number is pairs of the digits 0 to 9 and the letters a to f, such as 04:a2:2b.");
        id.focus();
        return;
      }
      const said = holds.value.trim();
      const records = said ? [/^[a-z][a-z0-9+.-]*:\S+$/i.test(said) ? uriRecord(said) : textRecord(said, document.documentElement.lang || "en")] : [];
      this.#shown({ tagId: found, technologies: ["Ndef"], records });
    });
    return form;
  }

  async #read() {
    this.#complain("");
    this.#tell("Hold the phone to the tag …");
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    const late = setTimeout(() => stop.abort(), READING_MS);
    try {
      const reader = new window.NDEFReader();
      reader.addEventListener("readingerror", () => this.#complain("The tag could not be read. Hold the phone still, and close to it."));
      reader.addEventListener("reading", ({ serialNumber, message }) => {
        clearTimeout(late);
        stop.abort();
        const records = message.records.map((each) => readRecord(each));
        this.#shown({ tagId: tagId(serialNumber ?? "") ?? "00", technologies: ["Ndef"], records });
      });
      stop.signal.addEventListener("abort", () => this.#tell(""));
      await reader.scan({ signal: stop.signal });
    } catch (error) {
      clearTimeout(late);
      this.#tell("");
      if (error.name === "AbortError") return;
      this.#complain(error.name === "NotAllowedError" ? "The browser may not read tags here. Allow it in the page's settings, or type the tag in." : `The tag could not be read: ${error.message}`);
    }
  }

  #shown(tag) {
    this.#complain("");
    this.#tell("Sent. It is being looked at …");
    this.#fire({ kind: "nfc", ...tag, observedAt: now() });
  }

  // --- both

  #decline() {
    const detail = () => ({ interactionId: this.#interactionId });
    const decline = () => this.dispatchEvent(new CustomEvent("duo-not-shown", { bubbles: true, detail: detail() }));
    return el("button", { type: "button", class: "button bare", onclick: decline }, "I cannot show it");
  }

  #fire(observation) {
    const detail = { interactionId: this.#interactionId, observation };
    this.dispatchEvent(new CustomEvent("duo-show", { bubbles: true, detail }));
  }

  #reset() {
    this.#stop?.abort();
    this.#stop = null;
    if (this.#preview) URL.revokeObjectURL(this.#preview);
    this.#preview = "";
    this.#tell("");
  }

  #complain(words) {
    this.#trouble.textContent = words;
    this.#trouble.hidden = !words;
    if (words) this.#tell("");
  }

  #tell(words) {
    this.#told.textContent = words;
    this.#told.hidden = !words;
  }

  #count() {
    const open = this.#ask?.state === "open" && this.#ask.expiresAt;
    this.#expires.hidden = !open;
    if (!open) return;
    const ms = Date.parse(this.#ask.expiresAt) - Date.now();
    this.#expires.textContent = ms > 0 ? `Waits ${left(ms)} more` : "It is no longer waited for. Ask again.";
  }
}

/** RFC 3339, in UTC. */
function now() {
  return new Date().toISOString();
}

customElements.define("duo-observe", Observe);
