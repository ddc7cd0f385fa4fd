/** What went wrong, and what to do next. */

const SOON = "Try again in a moment.";
const AGAIN = "Try again; if that does not help, ask in other words.";

/** By the server's codes. What is not here either says itself what to do, or is not for a person to mend. */
const NEXT = {
  forbidden: "Sign in with a key or token that may do this.",
  auth_required: "Sign in first.",
  auth_expired: "Sign in again.",
  auth_failed: "Sign in again.",
  auth_unavailable: SOON,
  draining: "The server is being restarted. Try again in a moment.",
  server_full: "Many people are here right now. Try again in a minute.",
  rate_limited: "Wait a moment, then try again.",
  busy: "Wait for the answer, or stop it.",
  too_large: "Make it shorter, or send it in parts.",
  upload_unknown: "Attach the file once more.",
  upload_refused: "Choose another file.",
  session_ended: "Begin a new conversation.",
  store_failed: SOON,
  run_lost: SOON,
  agent_failed: AGAIN,
  agent_silent: AGAIN,
  agent_truncated: AGAIN,
  agent_empty: AGAIN,
  agent_too_long: "Ask for less at once.",
  agent_bad_item: AGAIN,
};

/** @param {{message: string, reason?: string, status?: number}} error `status` 0: the server was not reached. */
export function adviceFor({ message, reason = "", status = -1 }) {
  const said = message.replace(/([^.!?])$/, "$1.");
  const again = status === 0 || status >= 500 ? SOON : "";
  const next = NEXT[reason] ?? again;
  return [said[0].toUpperCase() + said.slice(1), said.includes(next) ? "" : next].filter(Boolean).join(" ");
}
