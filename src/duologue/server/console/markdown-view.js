/** Draws light Markdown. A block that is the same as before keeps its nodes, so a growing answer stays cheap,
 * and what the person has selected in it stays selected. */

import { copyButton, el, outLink, safeLink } from "./dom.js";
import { blocks, spans } from "./markdown.js";

/** Headings of an answer start below those of the page. */
const TOP_HEADING = 3;

/**
 * Bring an element's content up to date with a text.
 * @param {HTMLElement} place its children all belong to this function.
 * @param {string} text
 * @param {(number: number) => Node} mark makes the mark of a citation.
 */
export function draw(place, text, mark) {
  const wanted = blocks(text);
  wanted.forEach((block, at) => {
    const there = place.children[at];
    const source = `${block.kind}:${block.source}`;
    if (there?.drawnFrom === source) return;
    const made = drawBlock(block, mark);
    made.drawnFrom = source;
    if (there) there.replaceWith(made);
    else place.append(made);
  });
  while (place.children.length > wanted.length) place.lastElementChild.remove();
}

function drawBlock(block, mark) {
  switch (block.kind) {
    case "heading": {
      const level = Math.min(6, block.level + TOP_HEADING - 1);
      return el(`h${level}`, { dir: "auto" }, ...drawSpans(block.text, mark));
    }
    case "code":
      return drawCode(block);
    case "rule":
      return el("hr");
    case "quote":
      return el("blockquote", {}, ...block.blocks.map((inner) => drawBlock(inner, mark)));
    case "list": {
      const attributes = block.ordered && block.first !== 1 ? { start: block.first } : {};
      const items = block.items.map((item) => el("li", { dir: "auto" }, ...drawItem(item, mark)));
      return el(block.ordered ? "ol" : "ul", attributes, ...items);
    }
    default:
      return el("p", { dir: "auto" }, ...drawSpans(block.text, mark));
  }
}

function drawItem(item, mark) {
  return item.flatMap((block, at) =>
    at === 0 && block.kind === "paragraph" ? drawSpans(block.text, mark) : [drawBlock(block, mark)],
  );
}

function drawCode(block) {
  const text = el("code", { translate: "no" }, block.text);
  const label = block.language ? `Code, ${block.language}` : "Code";
  return el(
    "div",
    { class: "code" },
    el("div", { class: "code-bar" }, el("span", {}, block.language || "code"), copyButton("Copy", () => block.text)),
    // A box that scrolls has to be reached by keyboard.
    el("pre", { tabindex: 0, role: "region", "aria-label": label, dir: "ltr" }, text),
  );
}

function drawSpans(text, mark) {
  return spans(text).map((span) => drawSpan(span, mark));
}

function drawSpan(span, mark) {
  const inner = () => span.spans.map((each) => drawSpan(each, mark));
  switch (span.kind) {
    case "code":
      return el("code", { translate: "no" }, span.text);
    case "bold":
      return el("strong", {}, ...inner());
    case "italic":
      return el("em", {}, ...inner());
    case "break":
      return el("br");
    case "mark":
      return mark(span.number);
    case "link": {
      const href = safeLink(span.address);
      return href ? outLink(href, {}, ...inner()) : el("span", {}, ...inner());
    }
    default:
      return document.createTextNode(span.text);
  }
}
