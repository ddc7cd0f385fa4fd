/** The page `/sessions`: joins the list, one session and its components. The one place that knows all of them. */

import "./components/confirm-dialog.js";
import "./components/event-list.js";
import "./components/frames.js";
import "./components/player.js";
import "./components/session-head.js";
import "./components/session-list.js";
import "./components/token-dialog.js";
import "./components/transcript.js";
import "./components/turn-bars.js";
import { deleteSession, exportSession, importSession, readEvents } from "./api.js";
import { el, icon } from "./dom.js";
import { Finder } from "./finder.js";
import * as keepsakes from "./keepsakes.js";
import { addressOf, placeIn } from "./places.js";
import { Playback } from "./playback.js";
import { gistOf, nameOf } from "./gists.js";
import { duration, offset } from "./times.js";
import { EMPTY } from "./transcript.js";
import { save } from "./uploads.js";
import { Viewer } from "./viewer.js";

const [list, head, transcript, bars, events, frames, player, confirm, dialog] = [
  "duo-session-list",
  "duo-session-head",
  "duo-transcript",
  "duo-turn-bars",
  "duo-event-list",
  "duo-frames",
  "duo-player",
  "duo-confirm",
  "duo-token-dialog",
].map((name) => document.querySelector(name));
const page = document.querySelector("#session");
const nothing = document.querySelector("#nothing");
const announcer = document.querySelector("#announcer");
const views = document.querySelector(".views");

/** How long one has to stay with an event, in ms, until the address names it: browsers allow few changes of it. */
const ADDRESS_MS = 300;

const finder = new Finder(redraw);
/** @type {Viewer | null} */
let viewer = null;
let address = null;
let drawing = false;
let asked = false;
let arrived = false;

const playback = new Playback({
  gapAfter() {
    const { recording, at } = viewer;
    return at + 1 < recording.length ? recording.offsetOf(at + 1) - recording.offsetOf(at) : null;
  },
  step: (count) => {
    viewer.go(viewer.at + count);
    moved();
  },
  stopped: redraw,
});

/** Show the session that the address names. */
function route() {
  const place = placeIn(location.hash);
  if (place && viewer?.id === place.id && !viewer.trouble) {
    const turn = place.turn ? viewer.recording.turns.find((each) => each.turn === place.turn) : null;
    if (place.event) viewer.go(viewer.recording.placeOf(place.event));
    else if (turn) viewer.go(turn.to);
    redraw();
    return;
  }
  const before = viewer?.id;
  leave();
  document.body.dataset.showing = place ? "session" : "list";
  if (place) {
    const opened = new Viewer(place.id, redraw);
    viewer = opened;
    arrived = false;
    opened.open(place);
  } else if (before !== undefined) {
    // Whoever comes back goes on from where they left the list.
    requestAnimationFrame(() => list.focusOn(before));
  }
  redraw();
}

function leave() {
  playback.stop();
  clearTimeout(address);
  viewer?.close();
  viewer = null;
}

function redraw() {
  if (drawing) return;
  drawing = true;
  const draw = document.hidden ? (job) => setTimeout(job, 250) : requestAnimationFrame;
  draw(() => {
    drawing = false;
    show();
  });
}

function show() {
  const { sessions, q, told, more, trouble, me } = finder;
  list.show({ sessions, current: viewer?.id ?? "", q, told, more, trouble, me });
  const signIn = [finder.trouble, viewer?.trouble].find((each) => each?.signIn);
  if (signIn && !asked) {
    asked = true;
    dialog.ask(signIn.reason);
  }
  const open = viewer !== null && viewer.row !== null && viewer.trouble === null;
  page.hidden = !open;
  nothing.hidden = open;
  document.title = `${open ? viewer.row.title || "Session" : "Sessions"} · Duologue`;
  if (open) showSession();
  else showNothing();
}

function showSession() {
  const { recording, at, row, state, stream, sticks } = viewer;
  head.show(row, { mine: row.subject === finder.me, state, turns: Math.max(row.turns, recording.turns.length), events: Math.max(row.lastSequence, recording.lastSequence) });
  // Who has followed a link into the session goes on from its title.
  if (!arrived) head.focus();
  arrived = true;
  if (!recording.length) return;
  const turn = recording.turnAt(at);
  transcript.show(recording.viewAt(at), [], { online: true, known: true, reading: true });
  transcript.follow();
  bars.show(recording.turns, turn);
  events.show(recording, at);
  frames.protocols = row.protocols;
  frames.show(recording.line(at), turn && { first: recording.line(turn.from).sequence, count: turn.to - turn.from + 1 });
  player.show({ at, count: recording.length, ...where(recording, at, turn), playing: playback.playing, stream, atEnd: sticks });
}

function where(recording, at, turn) {
  const { sequence, event } = recording.line(at);
  const time = recording.offsetOf(at);
  const told = `${sequence} of ${recording.lastSequence} · ${offset(time)}`;
  const gist = String(gistOf(event) ?? "").slice(0, 80);
  const long = `Event ${sequence} of ${recording.lastSequence}, ${turn ? `turn ${turn.turn}, ` : ""}${nameOf(event)}${gist ? `: ${gist}` : ""}, after ${duration(time)}`;
  return { told, long };
}

function showNothing() {
  const trouble = viewer?.trouble;
  const face = trouble ? trouble.message : viewer ? "Loading …" : "";
  if (nothing.dataset.face === face && nothing.childElementCount) return;
  nothing.dataset.face = face;
  if (trouble) {
    const gone = trouble.status === 404;
    const again = el("button", { type: "button", class: "button", onclick: route }, icon("retry"), "Try again");
    const words = el("p", { role: "alert" }, gone ? "This conversation is not there: it was deleted, or is somebody else's." : trouble.message);
    nothing.replaceChildren(icon("alert"), words, el("p", { class: "buttons" }, gone ? null : again, el("a", { class: "button", href: "#" }, "All sessions")));
  } else if (viewer) {
    nothing.replaceChildren(el("p", { role: "status" }, "Loading …"));
  } else {
    const keys = [["←", "→"], ["Shift", "←", "→"], ["Space"]].map((names) => names.map((name) => el("kbd", {}, name)));
    const help = [
      [keys[0], "previous and next event"],
      [keys[1], "previous and next turn"],
      [keys[2], "play and pause"],
    ].map(([names, words]) => el("div", {}, el("dt", {}, ...names), el("dd", {}, words)));
    nothing.replaceChildren(el("h2", {}, "Choose a conversation"), el("p", {}, "See what was said, step through it as it happened, and look at what each protocol made of it."), el("dl", { class: "keys" }, ...help));
  }
}

/** One has gone somewhere else in time. */
function moved() {
  clearTimeout(address);
  address = setTimeout(() => {
    if (!viewer?.recording.length) return;
    const event = viewer.sticks ? 0 : viewer.recording.line(viewer.at).sequence;
    history.replaceState(null, "", addressOf({ id: viewer.id, event }));
  }, ADDRESS_MS);
  redraw();
}

function go(at) {
  if (!viewer?.recording.length) return;
  playback.stop();
  viewer.go(at);
  moved();
}

function stepBy(by, what) {
  if (!viewer?.recording.length) return;
  const { recording, at } = viewer;
  if (what === "event") return go(at + by);
  const { turns } = recording;
  const next = by > 0 ? turns.find((turn) => turn.from > at) : turns.findLast((turn) => turn.from < at);
  return go(next ? next.from : by > 0 ? recording.length - 1 : 0);
}

function play() {
  if (playback.playing) return playback.stop();
  // From the end there is nothing to play but all of it.
  if (viewer.at === viewer.recording.length - 1) viewer.go(0);
  playback.start();
  return moved();
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    announcer.textContent = error.message;
    finder.trouble = error;
    redraw();
  }
}

addEventListener("duo-find", (event) => finder.find(event.detail));
addEventListener("duo-more", () => finder.goOn());
addEventListener("duo-reload", () => finder.find());
addEventListener("duo-go", (event) => go(event.detail.at));
addEventListener("duo-step", (event) => stepBy(event.detail.by, event.detail.what));
addEventListener("duo-play", play);
addEventListener("duo-speed", (event) => {
  playback.speed = event.detail.speed;
});
addEventListener("duo-latest", () => go(viewer.recording.length - 1));
addEventListener("duo-continue", () => keepsakes.sessionId.set(viewer.id));
addEventListener("duo-export", () => attempt(async () => save(await exportSession(viewer.id), `${viewer.id.replace(/[^\w.-]+/g, "_")}.jsonl`)));
addEventListener("duo-import", (event) =>
  attempt(async () => {
    const row = await importSession(event.detail.file);
    announcer.textContent = `Imported ${row.title || row.sessionId}.`;
    await finder.find();
    location.hash = addressOf({ id: row.sessionId });
  }),
);
addEventListener("duo-delete", () =>
  attempt(async () => {
    const { id, row } = viewer;
    const text = `“${row.title || id}” and its files are removed for good, also for the person who is in it. Export it first if it may be needed.`;
    if (!(await confirm.ask({ title: "Delete this conversation?", text, yes: "Delete" }))) return;
    // Before it is gone: who follows it is sent away, and that is no trouble.
    viewer?.close();
    try {
      await deleteSession(id);
    } catch (error) {
      leave();
      route();
      throw error;
    }
    finder.drop(id);
    announcer.textContent = "The conversation was deleted.";
    location.hash = "";
  }),
);
addEventListener("duo-token", (event) => {
  keepsakes.token.set(event.detail.token);
  asked = false;
  finder.find();
  leave();
  route();
});
addEventListener("hashchange", route);
// The address says which session is open: a jump within the page must not change it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  if (list.checkVisibility()) list.focusOn("");
  else head.focus();
});
addEventListener("keydown", (event) => {
  if (!viewer?.recording.length || event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  const on = event.target;
  if (on.closest("input, select, textarea, duo-session-list")) return;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    event.preventDefault();
    stepBy(event.key === "ArrowLeft" ? -1 : 1, event.shiftKey ? "turn" : "event");
  } else if (event.key === " " && !on.closest("button, a, summary")) {
    event.preventDefault();
    play();
  }
});

frames.reader = async (first, count, protocols) => {
  const lines = [];
  for await (const line of readEvents(viewer.id, { after: first - 1, limit: count, protocols })) lines.push(line);
  return lines;
};

/** On a narrow screen one part is seen at a time. */
for (const [name, words] of [["talk", "Conversation"], ["turns", "Turns"], ["events", "Events"], ["frames", "Frames"]]) {
  const choose = () => {
    page.dataset.view = name;
    for (const each of views.children) each.setAttribute("aria-pressed", String(each === button));
    redraw();
  };
  const button = el("button", { type: "button", "aria-pressed": String(name === "talk"), onclick: choose }, words);
  views.append(button);
}
page.dataset.view = "talk";
transcript.show(EMPTY, [], { online: true, known: false, reading: true });
route();
finder.find();
