/** The conversation as it is shown: a fold of the server's events. Pure: same events, same view.
 *
 * Nothing is changed in place; what an event does not touch stays the same object, so that a component can tell
 * by identity what it has to draw again.
 */

import { asksOf, expired, felt, handoffOf, moved, newTool, settled, stepped, withApprovals } from "./acting.js";
import { MARK } from "./markdown.js";
import { hear, NO_CALL, speak } from "./voice.js";

/**
 * @typedef {{uploadId: string, name: string, mediaType: string, sizeBytes: number}} Attachment
 * @typedef {{title: string, url: string, snippet: string | undefined}} Source
 * @typedef {{kind: "text", text: string} | {kind: "payload", type: string, data: object} | import("./acting.js").Tool} Part
 * @typedef {object} Person
 * @property {"person"} kind
 * @property {string} key
 * @property {string} requestId
 * @property {string} text
 * @property {Attachment[]} attachments
 * @property {object | null} observation
 * @property {boolean} spoken
 * @property {string} at
 * @typedef {object} Answer
 * @property {"answer"} kind
 * @property {string} key
 * @property {string} responseId
 * @property {string} requestId
 * @property {"thinking" | "streaming" | "completed" | "cancelled" | "interrupted" | "asked" | "failed" | "lost"} status
 * @property {string} author the operator who says it; empty for the agent.
 * @property {string} agent to whom the conversation was passed on; empty for the one that began it.
 * @property {string | null} takenBy the operator whose joining ended it.
 * @property {Part[]} parts
 * @property {Part[] | null} before what a poorer answer had said, until this one, which takes its place, says something.
 * @property {Source[]} sources
 * @property {{label: string, text: string}[]} chips
 * @property {import("./acting.js").Ask[]} asks what the agent waits for.
 * @property {object | null} figures
 * @property {object | null} error
 * @property {{begin: number, end: number} | null} word what is being heard of it, in a call.
 * @property {number | null} heard how much of it was heard before it was cut short, in a call.
 * @property {string} at
 * @typedef {object} Transcript
 * @property {number} sequence
 * @property {(Person | Answer)[]} items
 * @property {number} turn the last one.
 * @property {import("./voice.js").Voice} voice
 * @property {import("./acting.js").Handoff[]} handoffs those that are open, and the last one; the first says who answers.
 * @property {import("./acting.js").Mood[]} moods
 * @property {string} agent to whom the conversation was passed on; empty for the one that began it.
 * @property {string} condition how much the machine can do, as the server calls it.
 * @property {string | null} ended
 */

/** @type {Transcript} */
export const EMPTY = Object.freeze({
  sequence: 0,
  items: Object.freeze([]),
  turn: 0,
  voice: NO_CALL,
  handoffs: Object.freeze([]),
  moods: Object.freeze([]),
  agent: "",
  condition: "full_power",
  ended: null,
});

const HISTORY = "duologue.history";

/** Answers to this client alone. One names the sequence of an event, but is not that event. */
const ANSWERS = new Set(["session.opened", "message.repeated"]);

/**
 * Take one event. One that was seen before, or is none, changes nothing.
 * @param {Transcript} transcript
 * @param {any} frame
 * @returns {Transcript}
 */
export function fold(transcript, frame) {
  if (ANSWERS.has(frame.type) || !Number.isInteger(frame.sequence) || frame.sequence <= transcript.sequence) return transcript;
  return { ...step(transcript, frame), voice: hear(transcript.voice, frame), sequence: frame.sequence };
}

function step(transcript, frame) {
  switch (frame.type) {
    case "diagnostic":
      return diagnostic(transcript, frame);
    case "response.started":
      return started({ ...transcript, items: expired(transcript.items, frame.timestamp) }, frame);
    case "text.delta":
      return change(transcript, frame, (old) => ({
        ...old,
        status: "streaming",
        parts: withText(old.parts, frame.delta.replaceAll(MARK, "")),
      }));
    case "text.completed":
      return change(transcript, frame, (old) => ({ ...old, parts: completed(old.parts, frame.text) }));
    case "rich.payload":
      if (frame.payloadType === HISTORY) return history(transcript, frame);
      return change(transcript, frame, (old) => ({
        ...old,
        status: "streaming",
        parts: [...old.parts, { kind: "payload", type: frame.payloadType, data: frame.data }],
      }));
    case "tool.call":
      return change(transcript, frame, (old) => called(old, { id: frame.toolCallId, name: frame.toolName, input: frame.input, byClient: frame.runsOn === "client" }));
    case "tool.result":
      return returned(transcript, frame.toolCallId, stepped(frame));
    case "handoff.status":
      return takenOver({ ...transcript, agent: agentAfter(transcript.agent, frame), handoffs: moved(transcript.handoffs, handoffOf(frame)) }, frame);
    case "signal.update":
      return { ...transcript, moods: felt(transcript.moods, frame, frame.turn ?? transcript.turn) };
    case "citation":
      return change(transcript, frame, (old) => cited(old, frame));
    case "suggestion.chips":
      return change(transcript, frame, (old) => ({ ...old, chips: [...old.chips, ...frame.chips] }));
    case "response.completed":
      // The person said more before they were answered, or a person is to answer: nothing of this one was shown.
      if (frame.superseded || frame.outcome === "passed") return without(transcript, frame.responseId);
      return change(transcript, frame, (old) => ({
        ...old,
        status: frame.outcome,
        parts: withApprovals(old.parts, asksOf(frame)),
        asks: asksOf(frame),
        figures: frame.figures ?? null,
        word: null,
        heard: frame.heard ?? null,
      }));
    case "error":
      return change(transcript, frame, (old) => ({
        ...old,
        status: frame.willRetry ? "lost" : "failed",
        error: { message: frame.message, retryable: frame.retryable, code: frame.reason ?? frame.code },
      }));
    case "session.ended":
      return { ...transcript, ended: frame.reason ?? "" };
    default:
      return transcript;
  }
}

function diagnostic(transcript, frame) {
  switch (frame.category) {
    case "turn.accepted":
      return accepted(transcript, frame);
    case "turn.extended":
      return extended(transcript, frame.details);
    case "agent.degraded":
      return { ...transcript, condition: frame.details.state };
    default:
      return frame.category.startsWith("voice.") ? change(transcript, frame, (old) => speak(old, frame)) : transcript;
  }
}

function accepted(transcript, frame) {
  const items = settled(transcript.items, frame.details.answers ?? []);
  const { text, attachments = [], observation, turn } = frame.details;
  const next = { ...transcript, items, turn };
  // A turn that only brings what was asked for, such as what a tool gave, says nothing.
  return text || attachments.length || observation ? add(next, person(frame)) : next;
}

/** Another agent has it from here on. */
function agentAfter(before, { status, transferType, targetAgent }) {
  return status === "transferred" && transferType === "bot_to_bot" ? (targetAgent ?? before) : before;
}

/** Who joins in the middle of an answer ends it. */
function takenOver(transcript, { status, operator }) {
  const last = transcript.items.at(-1);
  if (status !== "connected" || last?.status !== "interrupted" || last.author) return transcript;
  return { ...transcript, items: transcript.items.with(-1, { ...last, takenBy: operator?.name ?? "" }) };
}

/** A better answer stands where the poorer one stood. */
function started(transcript, frame) {
  const at = transcript.items.findLastIndex((item) => item.kind === "answer" && item.responseId === frame.replaces);
  const { agent } = transcript;
  if (at < 0) return add(transcript, { ...answer(frame), agent });
  const old = transcript.items[at];
  const better = { ...answer(frame), agent, key: old.key, before: old.parts.length ? old.parts : old.before };
  return { ...transcript, items: transcript.items.with(at, better) };
}

/** The person had not finished: their turn says more now. */
function extended(transcript, { turn, text }) {
  const at = transcript.items.findLastIndex((item) => item.kind === "person" && item.key === `turn-${turn}`);
  if (at < 0) return transcript;
  return { ...transcript, items: transcript.items.with(at, { ...transcript.items[at], text }) };
}

function without(transcript, responseId) {
  return { ...transcript, items: transcript.items.filter((item) => item.responseId !== responseId) };
}

function called(old, tool) {
  return { ...old, status: "streaming", parts: [...old.parts, newTool(tool)] };
}

/** A tool may return in a later response than the one that called it. */
function returned(transcript, id, result) {
  const isIt = (part) => part.kind === "tool" && part.id === id;
  const at = transcript.items.findLastIndex((item) => item.kind === "answer" && item.parts.some(isIt));
  if (at < 0) return transcript;
  const item = transcript.items[at];
  const parts = item.parts.map((part) => (isIt(part) ? { ...part, ...result } : part));
  return { ...transcript, items: transcript.items.with(at, { ...item, parts }) };
}

/** The answer that is being given, or null. */
export function running(transcript) {
  const last = transcript.items.findLast((item) => item.kind === "answer");
  return last && (last.status === "thinking" || last.status === "streaming") ? last : null;
}

/** The text of an answer, without marks and payloads. */
export function textOf(answer) {
  const texts = answer.parts.filter((part) => part.kind === "text").map((part) => part.text);
  return unmarked(texts.join(""));
}

function unmarked(text) {
  return text.replace(new RegExp(`${MARK}\\d+${MARK}`, "gu"), "");
}

function person(frame) {
  const { text, source, attachments, observation, turn } = frame.details;
  return {
    kind: "person",
    key: `turn-${turn}`,
    requestId: frame.requestId,
    text,
    attachments: attachments ?? [],
    observation: observation ?? null,
    spoken: source === "voice",
    at: frame.timestamp,
  };
}

function answer(frame) {
  return {
    kind: "answer",
    key: frame.responseId,
    responseId: frame.responseId,
    requestId: frame.requestId,
    status: "thinking",
    author: frame.author ?? "",
    agent: "",
    takenBy: null,
    parts: [],
    before: null,
    sources: [],
    chips: [],
    asks: [],
    figures: null,
    error: null,
    word: null,
    heard: null,
    at: frame.timestamp,
  };
}

function add(transcript, item) {
  return { ...transcript, items: [...transcript.items, item] };
}

function change(transcript, frame, how) {
  const at = transcript.items.findLastIndex(
    (item) => item.kind === "answer" && item.responseId === frame.responseId,
  );
  if (at < 0) return transcript;
  return { ...transcript, items: transcript.items.with(at, how(transcript.items[at])) };
}

function withText(parts, text) {
  const last = parts.at(-1);
  if (last?.kind !== "text") return [...parts, { kind: "text", text }];
  return parts.with(-1, { kind: "text", text: last.text + text });
}

/** The whole text has the last word, should the pieces not add up to it; one that was cut off says what was heard. */
function completed(parts, text) {
  const whole = text.replaceAll(MARK, "");
  const pieces = parts.filter((part) => part.kind === "text").map((part) => part.text);
  // Or only what was said since the last tool, or as far as it was heard.
  if (unmarked(pieces.join("")).includes(whole)) return parts;
  return [{ kind: "text", text: whole }, ...parts.filter((part) => part.kind !== "text")];
}

/** Add a source, and mark it where the text has come to; in code there is no place for a mark. */
function cited(old, frame) {
  const known = old.sources.findIndex((source) => source.url === frame.url && source.title === frame.title);
  const source = { title: frame.title, url: frame.url, snippet: frame.snippet };
  const sources = known < 0 ? [...old.sources, source] : old.sources;
  const number = known < 0 ? sources.length : known + 1;
  const last = old.parts.at(-1);
  if (last?.kind !== "text" || !last.text.trim() || inCode(last.text)) return { ...old, sources };
  return { ...old, sources, parts: withText(old.parts, `${MARK}${number}${MARK}`) };
}

function inCode(text) {
  const lines = text.split("\n");
  const fences = lines.filter((line) => /^ {0,3}(```|~~~)/.test(line)).length;
  return fences % 2 === 1 || /^ {0,3}(```|~~~)/.test(lines.at(-1));
}

/** Retention removed the events; what they had said stands here instead. */
function history(transcript, frame) {
  const items = frame.data.messages.map((message, at) =>
    message.role === "user"
      ? {
          ...person({ ...frame, details: { ...message, turn: message.turn } }),
          key: `history-${at}`,
          requestId: "",
        }
      : {
          ...answer({ ...frame, responseId: `history-${at}`, author: message.author }),
          status: message.interrupted ? "interrupted" : "completed",
          parts: [{ kind: "text", text: message.text.replaceAll(MARK, "") }],
        },
  );
  return { ...transcript, items };
}
