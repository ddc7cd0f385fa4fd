/** Marks on an answer the word that is being heard, and what was never heard. The document stays as it is: browsers
 * paint over it (CSS Custom Highlight API); one that cannot leaves the marks out. */

import { place } from "./spoken.js";

const able = "highlights" in CSS && "Highlight" in window;
const painted = new Map(["spoken", "unheard"].map((name) => [name, able ? new Highlight() : null]));
if (able) for (const [name, highlight] of painted) CSS.highlights.set(name, highlight);

/** Text that was drawn, and does not come from the agent: names of buttons, marks of citations, hints. */
const OURS = ".code-bar, .cite, .unseen";

/** @type {WeakMap<Element, {name: string, range: Range}[]>} */
const marked = new WeakMap();

/**
 * Mark what is being heard of an answer.
 * @param {Element} element holds its text in `.prose`, in order.
 * @param {string} source the answer's text.
 * @param {{word: {begin: number, end: number} | null, heard: number | null}} how
 */
export function markSpoken(element, source, { word, heard }) {
  unmark(element);
  if (!able || (!word && heard === null)) return;
  const nodes = textNodes(element);
  const drawn = nodes.map((node) => node.data).join("");
  const marks = [];
  const mark = (name, stretch) => {
    const range = rangeOf(nodes, place(source, drawn, stretch));
    if (!range) return;
    painted.get(name).add(range);
    marks.push({ name, range });
  };
  if (word) mark("spoken", word);
  // The space before the first word that was not heard is not struck out.
  const rest = heard === null ? "" : [...source].slice(heard).join("");
  if (rest.trim()) mark("unheard", { begin: heard + rest.length - rest.trimStart().length, end: Infinity });
  marked.set(element, marks);
}

/** Take all marks off an element. */
export function unmark(element) {
  for (const { name, range } of marked.get(element) ?? []) painted.get(name).delete(range);
  marked.delete(element);
}

/** Where on the screen the word is that is being heard; null where none is. */
export function spokenPlace() {
  if (!able) return null;
  const [range] = painted.get("spoken");
  const box = range?.getBoundingClientRect();
  return box?.height ? box : null;
}

function textNodes(element) {
  const found = [];
  for (const prose of element.querySelectorAll(".prose")) {
    const walker = document.createTreeWalker(prose, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(OURS)) found.push(walker.currentNode);
  }
  return found;
}

function rangeOf(nodes, { begin, end }) {
  if (begin === end) return null;
  const range = new Range();
  let passed = 0;
  for (const node of nodes) {
    const next = passed + node.length;
    if (begin >= passed && begin < next) range.setStart(node, begin - passed);
    if (end > passed && end <= next) {
      range.setEnd(node, end - passed);
      return range;
    }
    passed = next;
  }
  return null;
}
