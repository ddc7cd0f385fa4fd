/** <duo-moods>: how strong each mood was, turn by turn, drawn and in a table; and what the person seems to want. */

import { el } from "../dom.js";

const [WIDE, HIGH] = [320, 120];
/** Room for the letters around the drawing, in its own units. */
const [LEFT, RIGHT, TOP, BOTTOM] = [22, 10, 8, 18];
const SPACE = "http://www.w3.org/2000/svg";

/** In this order, and each with a stroke of its own: colour is not all there is. Nothing is drawn of no mood. */
const MOODS = ["frustration", "anger", "confusion", "urgency", "satisfaction", "delight"];

class Moods extends HTMLElement {
  #shown = null;

  /** @param {import("../acting.js").Mood[]} moods */
  show(moods) {
    if (this.#shown === moods) return;
    this.#shown = moods;
    const felt = moods.filter((mood) => mood.kind === "sentiment" && mood.scope !== "session");
    const whole = moods.findLast((mood) => mood.kind === "sentiment" && mood.scope === "session");
    const wants = moods.filter((mood) => mood.kind === "intent");
    if (!moods.length) {
      this.replaceChildren(el("p", { class: "none" }, "Nothing was noticed yet."));
      return;
    }
    const lines = MOODS.map((name) => ({ name, points: pointsOf(felt, name) })).filter(({ points }) => points.length);
    const all = whole ? [el("p", { class: "intents" }, "All in all: ", el("strong", {}, whole.name), ` ${percent(whole.score)}`)] : [];
    const drawn = lines.length ? [chart(lines), legend(lines), table(lines)] : [el("p", { class: "none" }, "Calm so far.")];
    this.replaceChildren(...drawn, ...all, ...(wants.length ? [intents(wants)] : []));
  }
}

/** The strongest of each turn; where turns are long past, only the latest fit. */
function pointsOf(felt, name) {
  const byTurn = new Map();
  for (const mood of felt) if (mood.name === name) byTurn.set(mood.turn, Math.max(mood.score, byTurn.get(mood.turn) ?? 0));
  return [...byTurn].sort(([one], [other]) => one - other).map(([turn, score]) => ({ turn, score }));
}

function chart(lines) {
  const turns = lines.flatMap(({ points }) => points.map(({ turn }) => turn));
  const [first, last] = [Math.min(...turns), Math.max(...turns)];
  const x = (turn) => (first === last ? (LEFT + WIDE - RIGHT) / 2 : LEFT + ((turn - first) * (WIDE - LEFT - RIGHT)) / (last - first));
  const y = (score) => TOP + (1 - score) * (HIGH - TOP - BOTTOM);
  const drawing = shape("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "mood-chart", "aria-hidden": "true" });
  for (const level of [0, 0.5, 1]) {
    drawing.append(shape("line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(level), y2: y(level), class: "level" }), words(level === 0.5 ? "½" : String(level), LEFT - 6, y(level) + 3, "end"));
  }
  drawing.append(words(`turn ${first}`, x(first), HIGH - 4, first === last ? "middle" : "start"));
  if (last !== first) drawing.append(words(String(last), x(last), HIGH - 4, "end"));
  for (const { name, points } of lines) {
    const path = points.map(({ turn, score }) => `${x(turn)},${y(score)}`).join(" ");
    if (points.length > 1) drawing.append(shape("polyline", { points: path, class: `mood ${name}` }));
    for (const { turn, score } of points) drawing.append(shape("circle", { cx: x(turn), cy: y(score), r: 3, class: `mood-point ${name}` }));
  }
  return drawing;
}

function legend(lines) {
  const entries = lines.map(({ name, points }) => {
    const stroke = shape("svg", { viewBox: "0 0 24 8", class: "mood-key", "aria-hidden": "true" });
    stroke.append(shape("line", { x1: 1, x2: 23, y1: 4, y2: 4, class: `mood ${name}` }));
    return el("li", {}, stroke, el("span", {}, name), el("strong", {}, percent(points.at(-1).score)));
  });
  return el("ul", { class: "mood-keys", "aria-label": "Latest" }, ...entries);
}

/** The same for who does not see the drawing. */
function table(lines) {
  const turns = [...new Set(lines.flatMap(({ points }) => points.map(({ turn }) => turn)))].sort((one, other) => one - other);
  const row = (turn) => el("tr", {}, el("th", { scope: "row" }, `Turn ${turn}`), ...lines.map(({ points }) => el("td", {}, percent(points.find((point) => point.turn === turn)?.score))));
  return el(
    "table",
    { class: "unseen" },
    el("caption", {}, "Moods by turn"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Turn"), ...lines.map(({ name }) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...turns.map(row)),
  );
}

function intents(wants) {
  const latest = wants.toReversed().filter((want, at, all) => all.findIndex((other) => other.name === want.name) === at).slice(0, 4);
  return el("p", { class: "intents" }, "Seems to want: ", ...latest.flatMap((want, at) => [at ? ", " : "", el("strong", {}, want.name.replaceAll("_", " ")), ` ${percent(want.score)}`]));
}

function percent(score) {
  return score === undefined ? "–" : `${Math.round(score * 100)} %`;
}

function shape(name, attributes) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function words(text, x, y, anchor) {
  const made = shape("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}

customElements.define("duo-moods", Moods);
