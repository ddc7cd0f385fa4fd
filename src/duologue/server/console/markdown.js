/** Light Markdown as a tree: what agents write in chats, and no more. Pure; markdown-view.js draws it.
 *
 * Blocks: paragraphs, headings, fenced code, lists (nested by indentation), quotations, rules.
 * Spans: code, bold, italic, links to http(s) or a path of this server, plain addresses, marks of citations.
 * Anything else, HTML above all, stays the text that it is.
 */

/** Stands around the number of a citation within text: a private character that no agent has a use for. */
export const MARK = "\uE0C1";

/**
 * @typedef {{kind: "text" | "code", text: string} | {kind: "mark", number: number}
 *   | {kind: "bold" | "italic", spans: Span[]} | {kind: "link", address: string, spans: Span[]}
 *   | {kind: "break"}} Span
 * @typedef {{kind: "paragraph", source: string} | {kind: "heading", level: number, source: string}
 *   | {kind: "code", language: string, text: string, source: string}
 *   | {kind: "list", ordered: boolean, first: number, items: Block[][], source: string}
 *   | {kind: "quote", blocks: Block[], source: string} | {kind: "rule", source: string}} Block
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+•]|\d{1,9}[.)])(?:\s+(.*))?$/;
/** What of it may follow words without an empty line: no number but 1, for a line may well begin with a year. */
const ITEM_AMID = /^\s*([-*+•]|1[.)])\s+\S/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const DEEPEST = 6;

/**
 * Take a text apart into blocks. `source` is the text of a block: where it is the same, the block is.
 * @param {string} text
 * @returns {Block[]}
 */
export function blocks(text, depth = 0) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const found = [];
  for (let at = 0; at < lines.length; ) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const [block, next] = depth < DEEPEST ? blockAt(lines, at, depth) : paragraph(lines, at, depth);
    found.push({ ...block, source: lines.slice(at, next).join("\n") });
    at = next;
  }
  return found;
}

function blockAt(lines, at, depth) {
  const line = lines[at];
  const heading = HEADING.exec(line);
  if (heading) return [{ kind: "heading", level: heading[1].length, text: heading[2] }, at + 1];
  if (FENCE.test(line)) return code(lines, at);
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  if (QUOTE.test(line)) return quote(lines, at, depth);
  if (ITEM.test(line)) return list(lines, at, depth);
  return paragraph(lines, at, depth);
}

function code(lines, at) {
  const [, fence, language] = FENCE.exec(lines[at]);
  let end = at + 1;
  const closes = (line) => {
    const bare = line.trim();
    return bare.length >= fence.length && [...bare].every((sign) => sign === fence[0]);
  };
  while (end < lines.length && !closes(lines[end])) end += 1;
  return [{ kind: "code", language, text: lines.slice(at + 1, end).join("\n") }, end + 1];
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => QUOTE.exec(line)[1]);
  return [{ kind: "quote", blocks: blocks(inner.join("\n"), depth + 1) }, end];
}

function list(lines, at, depth) {
  const [, indent, mark] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(mark);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (item && item[1].length <= indent.length + 1) {
      if (/\d/.test(item[2]) !== ordered || RULE.test(lines[end])) break;
      items.push([item[3] ?? ""]);
    } else if (lines[end].trim() && !item && !/^\s{2,}/.test(lines[end]) && lines[end - 1]?.trim() === "") {
      break;
    } else if (!item && /^ {0,1}\S/.test(lines[end]) && (FENCE.test(lines[end]) || HEADING.test(lines[end]))) {
      break;
    } else {
      items.at(-1).push(lines[end].replace(/^\s{1,4}/, ""));
    }
    end += 1;
  }
  const parsed = items.map((item) => blocks(item.join("\n"), depth + 1));
  return [{ kind: "list", ordered, first: ordered ? parseInt(mark, 10) : 1, items: parsed }, end];
}

function paragraph(lines, at, depth) {
  let end = at + 1;
  const starts = (line) =>
    depth < DEEPEST && (HEADING.test(line) || FENCE.test(line) || QUOTE.test(line) || ITEM_AMID.test(line));
  while (end < lines.length && lines[end].trim() && !starts(lines[end])) end += 1;
  return [{ kind: "paragraph", text: lines.slice(at, end).join("\n") }, end];
}

// In the order in which they are tried at each place; the text between is text.
const SPAN = new RegExp(
  [
    "(?<ticks>`+)(?<code>[^]*?[^`])\\k<ticks>(?!`)",
    `${MARK}(?<number>\\d+)${MARK}`,
    "\\[(?<label>(?:[^\\[\\]]|\\[[^\\[\\]]*\\])+)\\]\\((?<address>[^\\s()]*(?:\\([^\\s()]*\\)[^\\s()]*)*)(?:\\s+\"[^\"]*\")?\\)",
    "\\*\\*(?=\\S)(?<bold>[^]*?\\S)\\*\\*(?!\\*)",
    "(?<![\\w_])__(?=\\S)(?<bold2>[^]*?\\S)__(?![\\w_])",
    "\\*(?=[^\\s*])(?<italic>[^*]*?[^\\s*])\\*(?!\\*)",
    "(?<![\\w_])_(?=[^\\s_])(?<italic2>[^_]*?[^\\s_])_(?![\\w_])",
    "(?<plain>https?:\\/\\/[^\\s<>\"'`\\uE0C1]*[^\\s<>\"'`.,;:!?)\\]}*_\\uE0C1])",
    "<(?<angled>https?:\\/\\/[^\\s<>]+)>",
    "\\\\(?<escaped>[\\\\`*_{}\\[\\]()#+\\-.!>~|])",
    "(?<break>\\n)",
  ].join("|"),
  "gu",
);

/**
 * Take the text of a block apart into spans.
 * @param {string} text
 * @returns {Span[]}
 */
export function spans(text, depth = 0) {
  const found = [];
  const say = (piece) => {
    if (!piece) return;
    const last = found.at(-1);
    if (last?.kind === "text") last.text += piece;
    else found.push({ kind: "text", text: piece });
  };
  let from = 0;
  for (const match of depth < DEEPEST ? text.matchAll(SPAN) : []) {
    say(text.slice(from, match.index));
    from = match.index + match[0].length;
    const span = spanOf(match.groups, depth);
    if (span.kind === "text") say(span.text);
    else found.push(span);
  }
  say(text.slice(from));
  return found;
}

function spanOf(groups, depth) {
  const inner = (text) => spans(text, depth + 1);
  if (groups.ticks) return { kind: "code", text: groups.code.replace(/^ (.*) $/s, "$1") };
  if (groups.number) return { kind: "mark", number: Number(groups.number) };
  if (groups.label) return { kind: "link", address: groups.address, spans: inner(groups.label) };
  const bold = groups.bold ?? groups.bold2;
  if (bold) return { kind: "bold", spans: inner(bold) };
  const italic = groups.italic ?? groups.italic2;
  if (italic) return { kind: "italic", spans: inner(italic) };
  const address = groups.plain ?? groups.angled;
  if (address) return { kind: "link", address, spans: [{ kind: "text", text: address }] };
  if (groups.escaped) return { kind: "text", text: groups.escaped };
  return { kind: "break" };
}

/** Say a text without its marks, for a screen reader. */
export function plain(text) {
  const said = (span) => span.text ?? (span.spans ? span.spans.map(said).join("") : span.kind === "break" ? "\n" : "");
  const told = (block) => {
    if (block.kind === "code") return `Code: ${block.text}`;
    if (block.kind === "list") return block.items.map((item) => item.map(told).join(" ")).join("\n");
    if (block.kind === "quote") return block.blocks.map(told).join("\n");
    return spans(block.text ?? "").map(said).join("");
  };
  return blocks(text).map(told).join("\n");
}
