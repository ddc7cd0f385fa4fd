/** The page `/operator`: joins the desk and one conversation to the components. The one place that knows all of them. */

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
import { Desk, OVER } from "./desk.js";
import { Doing } from "./doing.js";
import { el, icon } from "./dom.js";
import * as keepsakes from "./keepsakes.js";
import { handoffAddress } from "./places.js";
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

/** @type {Case | null} */
let open = null;
let drawing = false;
let asked = false;
/** Who waited, and what, when it was last told. */
let waiting = null;
/** Where the focus goes once one may write; and once the conversation that was chosen is here. */
let wantsReply = false;
let wantsHead = false;

const desk = new Desk(redraw, (news) => {
  open?.hear(news);
  follow();
  tellSaid(news);
});

const doing = new Doing(form, {
  announce(words) {
    announcer.textContent = words;
  },
  onChange: redraw,
  onDone(handoff) {
    // A conversation that nobody had passed on has a handoff now.
    if (open && !open.handoffId) location.hash = handoffAddress({ sessionId: handoff.sessionId, handoffId: handoff.id });
  },
});

/** Show what the address names. */
function route() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [sessionId, handoffId] = [parts.get("id") ?? "", parts.get("handoff") ?? ""];
  document.body.dataset.showing = sessionId ? "case" : "list";
  if (open?.sessionId !== sessionId || open.handoffId !== handoffId) {
    const before = open;
    before?.close();
    open = sessionId ? new Case({ sessionId, handoffId }, redraw) : null;
    doing.trouble = "";
    if (before?.sessionId !== sessionId) {
      reply.clear();
      show("talk");
      transcript.show(EMPTY, [], { online: true, known: false, reading: true });
      transcript.follow();
      wantsHead = open !== null;
      if (!open && before) requestAnimationFrame(() => queue.focusOn(before.handoffId));
    }
  }
  redraw();
}

/** A handoff that is over may go on under another id: stay with the conversation. */
function follow() {
  if (!open || !desk.known || (open.handoffId && desk.find(open.handoffId))) return;
  if (open.handoffId && !open.told) return;
  const mine = (each) => each.operator?.id === desk.me.id;
  const others = desk.handoffs.filter((each) => each.sessionId === open.sessionId && !each.consult);
  const next = others.find(mine) ?? others[0];
  if (next) location.replace(handoffAddress({ sessionId: next.sessionId, handoffId: next.id }));
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
  const { known, me: own } = desk;
  approvals.hidden = known && !own.supervises && !desk.approvals.length;
  approvals.show(desk.approvals, { known, deciding: desk.deciding, troubles: desk.troubles });
  queue.show(desk.handoffs, { current: open?.handoffId ?? "", me: own.id, known });
  drawTrouble();
  const words = own.name ? `You are ${own.name}` : "Who are you?";
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
  const words = error ? adviceFor(error) : desk.lost ? "The connection was lost. Reconnecting …" : "";
  trouble.hidden = !words;
  if (trouble.dataset.words === words) return;
  trouble.dataset.words = words;
  const again = el("button", { type: "button", class: "button small", onclick: signInOrStart }, icon("retry"), error?.signIn ? "Sign in" : "Try again");
  trouble.replaceChildren(...(words ? [icon("alert"), el("p", {}, words), again] : []));
}

function signInOrStart() {
  if (desk.trouble?.signIn) tokens.ask(desk.trouble.reason);
  else desk.start();
}

/** Tell a screen reader what the customer of the open conversation says; what one writes oneself one knows. */
function tellSaid({ type, handoffId, said }) {
  if (type === "said" && handoffId === open?.handoffId && said.role === "customer") announcer.textContent = `${open.customer || "Customer"}: ${said.text}`;
}

/** Tell a screen reader, and who has the page in another tab, that somebody has come. */
function announceNew() {
  const newcomers = desk.handoffs.filter((each) => ["requested", "queued"].includes(each.status));
  const count = newcomers.length + desk.approvals.length;
  document.title = `${count ? `(${count}) ` : ""}Operator · Duologue`;
  if (!desk.known) return;
  const now = new Set([...newcomers.map((each) => each.id), ...desk.approvals.map((each) => each.approvalId)]);
  if (waiting) {
    const newcomer = newcomers.find((each) => !waiting.has(each.id));
    const question = desk.approvals.find((each) => !waiting.has(each.approvalId));
    if (newcomer) announcer.textContent = `${newcomer.customer} waits for a person. ${newcomer.reason}`;
    else if (question) announcer.textContent = `A decision is asked for: ${question.prompt || question.tool}`;
  }
  waiting = now;
}

/** The handoff that is shown; null where none is open. */
function current() {
  const handoff = open?.handoffId ? (desk.find(open.handoffId) ?? open.told) : null;
  return handoff && !OVER.has(handoff.status) ? handoff : null;
}

/** How the conversation that is open stands. */
function standing() {
  const handoff = current();
  const { operator, status = "", consult = false } = handoff ?? {};
  const mine = operator !== undefined && operator.id === desk.me.id;
  return { status, consult, mine, who: operator?.name ?? "", supervises: desk.me.supervises === true, ended: open.transcript.ended !== null };
}

function drawCase() {
  const shows = open !== null && open.ready && !open.trouble;
  page.hidden = !shows;
  nothing.hidden = shows;
  if (!shows) return drawNothing();
  const how = standing();
  head.show({ title: open.title, customer: open.customer, sessionId: open.sessionId, busy: doing.busy, trouble: doing.trouble, ...how });
  if (wantsHead) {
    wantsHead = false;
    head.focus();
  }
  transcript.show(open.transcript, [], { online: !open.lost, known: false, reading: true });
  const talking = how.status === "connected" && how.mine && !how.consult && !how.ended;
  reply.show({ mine: talking, note: noteFor(how) });
  if (talking && wantsReply) {
    wantsReply = false;
    reply.focus();
  }
  drawContext(how);
}

function drawContext({ status, mine, consult, supervises }) {
  const bundle = open.bundle ?? {};
  const held = ["connected", "on_hold"].includes(status);
  const beside = consult ? (supervises ? "answer" : "none") : held && mine ? "ask" : held && supervises ? "answer" : "none";
  context.show({
    why: open.told ? whyOf(open.told) : [],
    summary: bundle.summary,
    customer: bundle.customer,
    memory: bundle.memory,
    moods: open.transcript.moods,
    notes: open.words,
    beside,
  });
}

const CAUSES = { agent: "the agent", person: "the customer", rule: "a rule", operator: "an operator", api: "another program" };

/** Why it came here, in words. */
function whyOf({ reason, cause, transfer, queue: line, route: way, skills = [], priority = 0, agent, path = [] }) {
  return [
    ["Reason", reason],
    ["Asked by", CAUSES[cause] ?? ""],
    ["Kind", transfer.replaceAll("_", " ")],
    ["Queue", line ?? ""],
    ["Rule", [way?.rule, ...(way?.reasons ?? [])].filter(Boolean).join(": ")],
    ["Skills", skills.join(", ")],
    ["Priority", priority ? String(priority) : ""],
    ["Agents", path.length > 1 ? path.join(" → ") : (agent ?? "")],
  ].filter(([, value]) => value);
}

function noteFor({ status, consult, mine, who, ended }) {
  if (open.lost) return "The connection was lost. Reconnecting …";
  if (ended) return "The conversation has ended.";
  if (consult) return "The operator answers the customer. What you say beside it, the customer does not see.";
  if (!status) return "The agent has this conversation.";
  if (status === "on_hold") return mine ? "The customer is on hold. Go on to answer." : `${who} has the customer on hold.`;
  if (status === "connected") return mine ? "" : `${who} answers here.`;
  return "The agent goes on answering until somebody takes it.";
}

function drawNothing() {
  const error = open?.trouble;
  const face = error ? error.message : open ? "loading" : `none ${desk.handoffs.length} ${desk.known}`;
  if (nothing.dataset.face === face) return;
  nothing.dataset.face = face;
  if (error) {
    const words = error.status === 404 ? "This conversation is not there: it was deleted, its handoff is long over, or it is not for you to see." : adviceFor(error);
    nothing.replaceChildren(icon("alert"), el("p", { role: "alert" }, words), el("a", { class: "button", href: "#" }, "Who waits"));
  } else if (open) {
    nothing.replaceChildren(el("p", { role: "status" }, "Loading …"));
  } else if (!desk.known) {
    nothing.replaceChildren();
  } else if (desk.handoffs.length) {
    nothing.replaceChildren(el("h2", {}, "Choose who to help"), el("p", {}, "Number 1 is taken first. You read along before you take it, and nothing is said until you do."));
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

addEventListener("duo-do", async ({ detail: { what } }) => {
  const done = await doing.start(what, { id: open.handoffId, sessionId: open.sessionId });
  // Once the answer may be written, that is what one came for.
  wantsReply = done && ["take", "take-over", "resume"].includes(what);
  redraw();
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
    approvals.tell(await desk.judge(approval, { approve, reason }));
  } catch (error) {
    // It is said beside the call; where that is gone, in its place.
    approvals.tell(desk.approvals.some((each) => each.approvalId === approval.approvalId) ? "" : adviceFor(error));
  }
});
addEventListener("duo-token", ({ detail }) => {
  keepsakes.token.set(detail.token);
  anew();
});
me.addEventListener("click", async () => {
  const hint = "Customers see it beside what you write. Who comes with a token of their own is called what the token says.";
  const field = { name: "name", label: "Your name", hint, value: keepsakes.operatorName.get() ?? "", most: 64 };
  const given = await form.ask({ title: "Who are you?", fields: [field], yes: "Keep it" });
  if (!given) return;
  keepsakes.operatorName.set(given.name || null);
  anew();
});

/** Begin anew, as somebody else. */
function anew() {
  asked = false;
  open?.close();
  open = null;
  desk.start();
  route();
}

addEventListener("hashchange", route);
// The address says which conversation is open: a jump within the page must not change it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.querySelector("#desk-title").focus();
});

route();
desk.start();
