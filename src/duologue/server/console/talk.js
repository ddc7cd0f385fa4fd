/** The page `/`: joins connection, outbox and transcript to the components. The one place that knows all of them. */

import { Calling } from "./calling.js";
import "./components/banner.js";
import "./components/call.js";
import "./components/composer.js";
import "./components/handoff-line.js";
import "./components/memories.js";
import { Observe } from "./components/observe.js";
import "./components/status.js";
import "./components/token-dialog.js";
import "./components/transcript.js";
import { Connection } from "./connection.js";
import { icon } from "./dom.js";
import { at } from "./here.js";
import * as keepsakes from "./keepsakes.js";
import * as memories from "./memory-api.js";
import { plain } from "./markdown.js";
import { frameOf, Outbox } from "./outbox.js";
import { TalkActing } from "./talk-acting.js";
import { EMPTY, fold, running, textOf } from "./transcript.js";
import { upload } from "./uploads.js";

const [status, banner, view, panel, composer, dialog, who, remembered] = [
  "duo-status",
  "duo-banner",
  "duo-transcript",
  "duo-call",
  "duo-composer",
  "duo-token-dialog",
  "duo-handoff-line",
  "duo-memories",
].map((name) => document.querySelector(name));
const announcer = document.querySelector("#announcer");
const fresh = document.querySelector("#new");
const memoryButton = document.querySelector("#memory");

/** The request id of refusals that are of no message. */
const NO_MESSAGE = "session";

const outbox = new Outbox();
let transcript = EMPTY;
/** @type {import("./connection.js").Link} */
let link = { name: "connecting" };
/** Events up to here were there before this page came: they are history, and not announced. */
let oldSequence = 0;
let known = false;
let drawing = false;

const calling = new Calling(panel, {
  send: (frame) => connection.send(frame),
  token: () => keepsakes.token.get(),
  sessionId: () => keepsakes.sessionId.get(),
  announce(words) {
    announcer.textContent = words;
  },
  onChange: redraw,
  onOver() {
    // What is hidden cannot have the focus.
    if (document.activeElement === document.body || panel.contains(document.activeElement)) composer.focusCall();
  },
});

const acting = new TalkActing({
  sessionId: () => keepsakes.sessionId.get(),
  send,
  announce(words) {
    announcer.textContent = words;
  },
});

const connection = new Connection({
  place: () => ({ sessionId: keepsakes.sessionId.get(), cursor: transcript.sequence }),
  token: () => keepsakes.token.get(),
  onOpened(opened) {
    keepsakes.sessionId.set(opened.sessionId);
    if (opened.cursor === 0) oldSequence = opened.lastSequence;
  },
  onFrame(frame) {
    settle(frame);
    const before = transcript;
    transcript = fold(before, frame);
    if (transcript !== before && frame.sequence > oldSequence) announce(frame);
    calling.follow(transcript);
    // What comes at once after a reload is history; what of it still waits is done when it is all here.
    if (transcript.sequence >= oldSequence) acting.runTools(transcript);
    redraw();
  },
  onLink(now) {
    link = now;
    if (now.name === "open") {
      known = true;
      for (const letter of outbox.waiting()) connection.send(frameOf(letter));
    }
    if (now.name === "refused" && now.signIn) dialog.ask(now.reason);
    banner.show(now);
    redraw();
  },
  onStartOver() {
    transcript = EMPTY;
  },
  onForeign() {
    keepsakes.sessionId.set(null);
    transcript = EMPTY;
  },
});

/** Take out of the outbox what the server has, or has refused. */
function settle(frame) {
  if (frame.type === "message.repeated" || (frame.type === "diagnostic" && frame.category === "turn.accepted")) {
    outbox.drop(frame.requestId);
  } else if (frame.type === "error" && frame.sequence === undefined && frame.reason !== "draining") {
    // A server that is leaving closes the connection; the next one gets the message.
    const { message, retryable, reason } = frame;
    outbox.refuse(frame.requestId, { message, retryable, code: reason });
    if (frame.requestId === NO_MESSAGE) calling.refused(message);
  }
}

function redraw() {
  if (drawing) return;
  drawing = true;
  // Once a picture, however many words came; in a hidden tab there are no pictures, and no hurry.
  const draw = document.hidden ? (job) => setTimeout(job, 250) : requestAnimationFrame;
  draw(() => {
    drawing = false;
    const open = link.name === "open";
    const current = running(transcript);
    view.show(transcript, outbox.letters, { online: open, known });
    status.show(stateOf(current));
    who.show(transcript.handoffs, { ended: transcript.ended !== null });
    banner.tell(transcript.ended === null ? transcript.condition : "full_power");
    const wrote = composer.contains(document.activeElement);
    composer.show({ running: open && current !== null, ended: transcript.ended !== null, calling: calling.on, online: open });
    if (wrote && composer.hidden) view.focusEnd();
    fresh.hidden = !transcript.items.length;
  });
}

function stateOf(current) {
  if (transcript.ended !== null) return "ended";
  if (link.name === "connecting") return known ? "offline" : "connecting";
  if (link.name !== "open") return "offline";
  if (!current) return outbox.waiting().length ? "thinking" : "ready";
  return current.status === "thinking" ? "thinking" : "answering";
}

/** Tell a screen reader what is finished, once, and not each word as it comes. */
function announce(frame) {
  const answer = transcript.items.findLast((item) => item.responseId === frame.responseId);
  if (frame.type === "response.completed" && answer) {
    // What is spoken aloud is not to be read out as well: the microphone would hear it.
    if (calling.on) return;
    announcer.textContent = announced(frame, answer);
  } else if (frame.type === "error" && !frame.willRetry) {
    announcer.textContent = `The answer failed. ${frame.message}`;
  } else if (frame.type === "session.ended") {
    announcer.textContent = "This conversation has ended.";
  }
}

function announced(frame, answer) {
  if (frame.outcome === "completed") return `${answer.author || "Answer"}: ${plain(textOf(answer))}`;
  return frame.outcome === "asked" ? `The agent asks: ${answer.asks.map((ask) => ask.message).join(" ")}` : "The answer was stopped.";
}

function send(said) {
  const letter = outbox.add(said);
  connection.send(frameOf(letter));
  view.follow();
  redraw();
}

function stop() {
  const current = running(transcript);
  if (current) connection.send({ type: "response.cancel", responseId: current.responseId });
}

function startFresh() {
  calling.hangUp();
  keepsakes.sessionId.set(null);
  outbox.clear();
  transcript = EMPTY;
  oldSequence = 0;
  connection.start();
  redraw();
  // What is hidden cannot take the focus, and the next picture is too late.
  composer.show({ running: false, ended: false });
  composer.focus();
}

addEventListener("duo-send", (event) => {
  send(event.detail);
  composer.focus();
});
addEventListener("duo-decide", (event) => acting.decide(event.detail));
addEventListener("duo-show", (event) => acting.show(event.detail));
addEventListener("duo-not-shown", () => acting.decline());
addEventListener("duo-handoff-cancel", (event) => acting.cancelHandoff(event.detail));
addEventListener("duo-call", () => calling.start());
addEventListener("duo-stop", stop);
addEventListener("duo-new", startFresh);
addEventListener("duo-reconnect", () => (link.name === "refused" ? connection.start() : connection.retryNow()));
addEventListener("duo-sign-in", () => dialog.ask(link.reason));
addEventListener("duo-token", (event) => {
  keepsakes.token.set(event.detail.token);
  connection.start();
  composer.focus();
});
addEventListener("duo-retry", (event) => {
  const said = transcript.items.findLast((item) => item.kind === "person" && item.requestId === event.detail.requestId);
  if (said) send({ text: said.text, attachments: said.attachments });
  composer.focus();
});
addEventListener("duo-resend", (event) => {
  const letter = outbox.letters.find((each) => each.requestId === event.detail.requestId);
  if (!letter) return;
  // A new name for it: under the old one the server may have refused it for good.
  outbox.drop(letter.requestId);
  send(letter);
});
addEventListener("duo-discard", (event) => {
  outbox.drop(event.detail.requestId);
  redraw();
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.isComposing && !document.querySelector("dialog[open]")) stop();
});

composer.uploader = (file, signal) =>
  upload(file, { sessionId: keepsakes.sessionId.get(), token: keepsakes.token.get(), signal });
Observe.uploader = composer.uploader;
remembered.keeper = memories;
memoryButton.append(icon("memory"));
memoryButton.addEventListener("click", () => remembered.open());
fresh.append(icon("fresh"), Object.assign(document.createElement("span"), { textContent: "New conversation" }));
fresh.addEventListener("click", startFresh);

connection.start();
composer.focus();
view.greet(await greeting());

/** Who answers here, as the agent's card says; the page does not depend on it. */
async function greeting() {
  const usual = ["What can you do?", "How do I resume after a lost connection?", "How do I stop a chat answer?"];
  try {
    const answer = await fetch(at("/.well-known/agent-card.json"), { signal: AbortSignal.timeout(2000) });
    const card = await answer.json();
    const examples = (card.skills ?? []).flatMap((skill) => skill.examples ?? []).slice(0, 4);
    const own = card.name === "Duologue" ? usual : usual.slice(0, 1);
    return { name: card.name, suggestions: examples.length ? examples : own };
  } catch {
    return { name: "Duologue", suggestions: usual };
  }
}
