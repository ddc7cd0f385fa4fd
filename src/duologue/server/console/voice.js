/** What the server says of a call, as it is shown: a part of the fold in transcript.js. Pure. */

/**
 * @typedef {"none" | "ready" | "listening" | "hearing" | "transcribing" | "thinking" | "speaking" | "held"} Phase
 * @typedef {object} Voice
 * @property {string | null} callId the call that is on.
 * @property {"open" | "explicit" | null} mode
 * @property {Phase} phase
 * @property {string} hearing what was understood of the turn that is being said.
 * @property {string} trouble what failed, in words.
 * @property {string | null} ended why the last call is over.
 */

/** @type {Voice} */
export const NO_CALL = Object.freeze({ callId: null, mode: null, phase: "none", hearing: "", trouble: "", ended: null });

/**
 * Take one event; one that is not of a call changes nothing.
 * @param {Voice} voice
 * @returns {Voice}
 */
export function hear(voice, frame) {
  if (frame.type === "diagnostic") return noted(voice, frame);
  if (voice.callId === null) return voice;
  switch (frame.type) {
    case "response.started":
      return { ...voice, phase: "thinking" };
    case "response.completed":
      return frame.superseded ? voice : { ...voice, phase: voice.phase === "hearing" ? "hearing" : rest(voice) };
    case "error":
      return { ...voice, phase: rest(voice) };
    default:
      return voice;
  }
}

function rest(voice) {
  return voice.mode === "explicit" ? "ready" : "listening";
}

function noted(voice, { category, message, details = {} }) {
  if (category === "call.began") {
    return { ...NO_CALL, callId: details.callId, mode: details.mode, phase: details.mode === "explicit" ? "ready" : "listening" };
  }
  if (voice.callId === null) return voice;
  switch (category) {
    case "call.ended":
      return details.callId === voice.callId ? { ...NO_CALL, ended: details.reason } : voice;
    case "turn.accepted":
      return { ...voice, phase: "thinking", hearing: "", trouble: "" };
    case "turn.extended":
      return { ...voice, phase: "thinking", hearing: "" };
    case "voice.listening":
      return { ...voice, phase: details.audioTurn ? "hearing" : "listening", hearing: "" };
    case "voice.speech_began":
      return { ...voice, phase: "hearing" };
    case "voice.speech_paused":
      return { ...voice, phase: "transcribing" };
    case "voice.transcript":
      return { ...voice, hearing: details.soFar || details.text };
    case "voice.word":
    case "voice.speaking_resumed":
      return { ...voice, phase: "speaking" };
    case "voice.speech_ignored":
      return { ...voice, phase: "speaking", hearing: "" };
    case "voice.speaking_paused":
      return { ...voice, phase: "held" };
    case "voice.barge_in":
      return { ...voice, phase: "hearing" };
    case "voice.nothing_heard":
      return { ...voice, phase: rest(voice), hearing: "" };
    case "voice.failed":
      return { ...voice, trouble: message };
    default:
      return voice;
  }
}

/**
 * Note on an answer how far the person has heard it; places count code points of its text.
 * @param {import("./transcript.js").Answer} answer
 */
export function speak(answer, { category, details }) {
  switch (category) {
    case "voice.word":
      return { ...answer, word: { begin: details.begin, end: details.end } };
    case "voice.barge_in":
      return { ...answer, word: null, heard: details.heard };
    case "voice.finished":
      return { ...answer, word: null };
    default:
      return answer;
  }
}
