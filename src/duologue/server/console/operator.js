/** The page `/operator`: joins the desk and one conversation to the components. The one place that knows all of them. */

import { goesOn } from "./acting.js";
import { adviceFor } from "./advice.js";
import "./components/approval-list.js";
import "./components/case-head.js";
import "./components/context.js";
import "./components/form-dialog.js";
import "./components/queue.js";
import "./components/reply.js";
import "./components/token-dialog.js";
import "./components/transcript.js";
import { Case } from "./case.js";
import { Desk } from "./desk.js";
import { Doing } from "./doing.js";
import { el, icon } from "./dom.js";
import * as keepsakes from "./keepsakes.js";
import { EMPTY } from "./transcript.js";

const [approvals, queue, head, transcript, reply, context, form, tokens] = [
  "duo-approval-list",
  "duo-queue",
  "duo-case-head",
  "duo-transcript",
  "duo-reply",
  "duo-context",
  "duo-form-dialog",
  "duo-token-dialog",
].map((name) => document.querySelector(name));
const page = document.querySelector("#case");
const nothing = document.querySelector("#nothing");
const announcer = document.querySelector("#announcer");
const trouble = document.querySelector("#trouble");
const views = document.querySelector(".views");
const me = document.querySelector("#me");

const desk = new Desk(redraw);
/** @type {Case | null} */
let open = null;
let handoffId = "";
let drawing = false;
let asked = false;
let waiting = null;

const doing = new Doing(form, {
  announce(words) {
    announcer.textContent = words;
  },
  onChange: redraw,
  onDone: () => desk.read(),
  name: () => keepsakes.operatorName.get() ?? "",
});

/** Show what the address names. */
function route() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const id = parts.get("id") ?? "";
  handoffId = parts.get("handoff") ?? "";
  document.body.dataset.showing = id ? "case" : "list";
  if (open?.sessionId !== id) {
    const before = open;
    before?.close();
    open = id ? new Case(id, redraw) : null;
    doing.trouble = "";
    reply.clear();
    show("talk");
    transcript.show(EMPTY, [], { online: true, known: false, reading: true });
    if (open) requestAnimationFrame(() => head.focus());
    else if (before) requestAnimationFrame(() => queue.focusOn(handoffId));
  }
  redraw();
}

function redraw() {
  if (drawing) return;
  drawing = true;
  const draw = document.hidden ? (job) => setTimeout(job, 250) : requestAnimationFrame;
  draw(() => {
    drawing = false;
    drawDesk();
    drawCase();
  });
}

function drawDesk() {
  const { known } = desk;
  approvals.hidden = !desk.supervises;
  approvals.show(desk.approvals, { known, deciding: desk.deciding, troubles: desk.troubles });
  queue.show(desk.handoffs, { current: current()?.handoffId ?? "", me: desk.me.operatorId, known });
  drawTrouble();
  const name = keepsakes.operatorName.get() || desk.me.name;
  const words = name ? `You are ${name}` : "Your name";
  if (me.title !== words) {
    me.title = words;
    me.setAttribute("aria-label", `${words}. Change it`);
    me.replaceChildren(icon("person"), el("span", {}, words));
  }
  announceNew();
}

function drawTrouble() {
  const { trouble: error } = desk;
  if (error?.signIn && !asked) {
    asked = true;
    tokens.ask(error.reason);
  }
  const words = error ? adviceFor(error) : "";
  trouble.hidden = !words;
  if (trouble.dataset.words === words) return;
  trouble.dataset.words = words;
  const again = el("button", { type: "button", class: "button small", onclick: signInOrRead }, icon("retry"), error?.signIn ? "Sign in" : "Try again");
  trouble.replaceChildren(...(words ? [icon("alert"), el("p", {}, words), again] : []));
}

function signInOrRead() {
  if (desk.trouble?.signIn) tokens.ask(desk.trouble.reason);
  else desk.read();
}

/** Tell a screen reader, and who has the page in another tab, that somebody has come. */
function announceNew() {
  const ids = desk.handoffs.filter((each) => ["requested", "queued"].includes(each.status)).map((each) => each.handoffId);
  const count = ids.length + desk.approvals.length;
  document.title = `${count ? `(${count}) ` : ""}Operator · Duologue`;
  if (!desk.known) return;
  const now = new Set([...ids, ...desk.approvals.map((each) => each.approvalId)]);
  if (waiting) {
    const newcomer = desk.handoffs.find((each) => ids.includes(each.handoffId) && !waiting.has(each.handoffId));
    const question = desk.approvals.find((each) => !waiting.has(each.approvalId));
    if (newcomer) announcer.textContent = `${newcomer.title || newcomer.subject} waits for a person. ${newcomer.reason}`;
    else if (question) announcer.textContent = `A decision is asked for: ${question.prompt || question.tool}`;
  }
  waiting = now;
}

/** The handoff that is shown: as its own journal tells it, which is never behind the list. */
function current() {
  const moved = open?.handoff;
  if (moved) return { handoffId: moved.handoff_id, status: moved.status, transferType: moved.transfer, operator: moved.operator };
  const listed = desk.handoffs.find((each) => each.sessionId === open?.sessionId);
  return listed ?? null;
}

function drawCase() {
  const shows = open !== null && open.row !== null && !open.trouble;
  page.hidden = !shows;
  nothing.hidden = shows;
  if (!shows) return drawNothing();
  const handoff = current();
  const going = handoff !== null && goesOn(handoff) && open.transcript.ended === null;
  const operator = going ? handoff.operator : null;
  const status = handoff?.status ?? "";
  const mine = operator !== null && operator !== undefined && operator.operator_id === desk.me.operatorId;
  const title = open.row.title || open.row.subject;
  head.show({ title, sessionId: open.sessionId, status, mine, who: operator?.name ?? "", busy: doing.busy, trouble: doing.trouble });
  transcript.show(open.transcript, [], { online: !open.lost, known: false, reading: true });
  const talking = going && mine && status === "connected";
  reply.show({ mine: talking, note: noteFor({ going, mine, status, operator }) });
  const bundle = open.bundle ?? {};
  context.show({
    why: open.why(),
    summary: bundle.summary,
    customer: bundle.customer,
    memory: bundle.memory,
    moods: open.transcript.moods,
    notes: open.notes,
    beside: going && operator ? (mine ? "ask" : desk.supervises ? "answer" : "none") : "none",
  });
}

function noteFor({ going, mine, status, operator }) {
  if (open.lost) return "The connection was lost. Reconnecting …";
  if (open.transcript.ended !== null) return "The conversation has ended.";
  if (!going) return "The agent has this conversation.";
  if (status === "on_hold" && mine) return "The customer is on hold. Go on to answer.";
  if (status === "connected") return mine ? "" : `${operator?.name ?? "Somebody"} answers here.`;
  return "The agent goes on answering until somebody takes it.";
}

function drawNothing() {
  const error = open?.trouble;
  const face = error ? error.message : open ? "loading" : `none ${desk.handoffs.length} ${desk.known}`;
  if (nothing.dataset.face === face) return;
  nothing.dataset.face = face;
  if (error) {
    const words = error.status === 404 ? "This conversation is not there: it was deleted, or is not for you to see." : adviceFor(error);
    nothing.replaceChildren(icon("alert"), el("p", { role: "alert" }, words), el("a", { class: "button", href: "#" }, "Who waits"));
  } else if (open) {
    nothing.replaceChildren(el("p", { role: "status" }, "Loading …"));
  } else if (!desk.known) {
    nothing.replaceChildren();
  } else if (desk.handoffs.length) {
    nothing.replaceChildren(el("h2", {}, "Choose who to help"), el("p", {}, "The first in the queue has waited longest. You read along before you take it, and nothing is said until you do."));
  } else {
    nothing.replaceChildren(el("h2", {}, "Nobody waits"), el("p", {}, "Who asks for a person, or is passed on by the agent or by a rule, shows here at once, and so does what a supervisor has to decide."));
  }
}

/** On a narrow screen one part is seen at a time. */
function show(name) {
  page.dataset.view = name;
  for (const each of views.children) each.setAttribute("aria-pressed", String(each.dataset.name === name));
}

for (const [name, words] of [["talk", "Conversation"], ["context", "Context"]]) {
  const choose = () => {
    show(name);
    redraw();
  };
  views.append(el("button", { type: "button", "data-name": name, "aria-pressed": "false", onclick: choose }, words));
}

addEventListener("duo-do", async (event) => {
  const handoff = current();
  if (handoff && (await doing.start(event.detail.what, handoff)) && ["take", "join", "return"].includes(event.detail.what)) {
    // Once the answer may be written, that is what one came for.
    setTimeout(() => reply.focus(), 300);
  }
});
addEventListener("duo-reply", async ({ detail }) => {
  const refused = await doing.say(current(), detail.text);
  if (refused) detail.refused(refused);
  else {
    detail.taken();
    transcript.follow();
  }
  reply.focus();
});
addEventListener("duo-consult", async ({ detail }) => {
  const refused = await doing.consult(current(), detail.text);
  if (refused) detail.refused(refused);
  else detail.taken();
});
addEventListener("duo-judge", async ({ detail: { approval, approve } }) => {
  const reason = await doing.reasonFor(approval, approve);
  if (reason === null) return;
  try {
    announcer.textContent = await desk.judge(approval, { approve, reason });
  } catch {
    // It is said beside the call.
  }
});
addEventListener("duo-token", ({ detail }) => {
  keepsakes.token.set(detail.token);
  asked = false;
  desk.read();
  open?.close();
  open = null;
  route();
});
me.addEventListener("click", async () => {
  const name = keepsakes.operatorName.get() || desk.me.name;
  const field = { name: "name", label: "Your name", hint: "Customers see it beside what you write.", required: true, value: name, most: 64 };
  const given = await form.ask({ title: "Who are you?", fields: [field], yes: "Keep it" });
  if (given) keepsakes.operatorName.set(given.name || null);
  redraw();
});
addEventListener("hashchange", route);
// The address says which conversation is open: a jump within the page must not change it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.querySelector("#desk-title").focus();
});

route();
desk.read();
