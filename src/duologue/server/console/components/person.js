/** <duo-person>: what the person said or showed. Fires `duo-resend` and `duo-discard` where it was not sent. */

import { adviceFor } from "../advice.js";
import { fetchUpload } from "../api.js";
import { el, icon } from "../dom.js";
import { isPicture, pictureOf, save, shownSize } from "../uploads.js";

class PersonTurn extends HTMLElement {
  /** @param {import("../transcript.js").Person} item */
  show(item) {
    this.setAttribute("role", "article");
    this.setAttribute("aria-label", item.hearing ? "What is understood of you so far" : "You");
    this.classList.toggle("hearing", item.hearing === true);
    this.replaceChildren(
      ...item.attachments.map(shownFile),
      ...(item.observation ? [shownObservation(item.observation)] : []),
      ...(item.text ? [el("p", { class: "said", dir: "auto" }, item.text)] : []),
      ...(item.spoken ? [el("p", { class: "aside" }, icon("voice"), "Spoken")] : []),
    );
  }

  /**
   * Show a message that the server does not have yet.
   * @param {import("../outbox.js").Letter} letter
   * @param {{online: boolean}} how
   */
  showUnsent(letter, { online }) {
    this.show({ ...letter, observation: letter.observation ? onItsWay(letter.observation) : null, spoken: false });
    this.classList.toggle("refused", letter.problem !== null);
    if (!letter.problem) {
      const words = online ? "Sending …" : "Waits for the connection";
      this.append(el("p", { class: online ? "aside sending" : "aside" }, words));
      return;
    }
    const fire = (name) => () =>
      this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail: { requestId: letter.requestId } }));
    const resend = el("button", { type: "button", class: "button small", onclick: fire("duo-resend") }, icon("retry"), "Send again");
    const discard = el("button", { type: "button", class: "button small bare", onclick: fire("duo-discard") }, "Discard");
    this.append(
      el("p", { class: "aside problem" }, icon("alert"), `Not sent: ${adviceFor({ message: letter.problem.message, reason: letter.problem.code })}`),
      el("p", { class: "aside" }, resend, discard),
    );
  }
}

/** Show a file: as a picture where it is one, else by its name; a touch saves it. */
function shownFile(file) {
  return isPicture(file) ? picture(file, file.name) : named(file);
}

/** The picture, once it is here; its name, where it cannot be had. */
function picture(file, label) {
  const shown = el("img", { class: "picture", alt: label });
  const place = el("span", { class: "picture-place" }, shown);
  pictureOf(file.uploadId).then(
    (address) => {
      shown.src = address;
    },
    () => place.replaceWith(named({ ...file, name: label })),
  );
  return place;
}

function named(file) {
  const words = [el("span", { class: "name" }, file.name), el("span", { class: "size" }, shownSize(file.sizeBytes))];
  const button = el("button", { type: "button", class: "file", title: `Save ${file.name}` }, icon("file"), ...words);
  button.addEventListener("click", async () => {
    try {
      save(await fetchUpload(file.uploadId), file.name);
    } catch (error) {
      words[1].textContent = adviceFor(error);
    }
  });
  return button;
}

/** What is shown of an observation that the server does not have yet. */
function onItsWay(observation) {
  if (observation.kind === "nfc") return { ...observation, records: [] };
  const { uploadId, mediaType } = observation;
  return { ...observation, photo: { uploadId, mediaType, name: "Photo", sizeBytes: 0 } };
}

function shownObservation(seen) {
  if (seen.kind === "photo") return picture(seen.photo, `Photo, ${seen.width} × ${seen.height}`);
  const words = seen.records?.length ? seen.records.join(", ") : seen.tagId;
  return el("p", { class: "file" }, icon("file"), `Tag: ${words}`);
}

customElements.define("duo-person", PersonTurn);
