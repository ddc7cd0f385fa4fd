/** What went wrong, and what to do next. */

const NEXT = {
  forbidden: "Sign in with a key or token that may do this.",
  auth_required: "Sign in first.",
  auth_expired: "Sign in again.",
  auth_failed: "Sign in again.",
  draining: "The server is being restarted. Try again in a moment.",
};

/** @param {import("./api.js").ApiError} error */
export function adviceFor(error) {
  const said = error.message.replace(/([^.!?])$/, "$1.");
  const again = error.status === 0 || error.status >= 500 ? "Try again in a moment." : "";
  return [said[0].toUpperCase() + said.slice(1), NEXT[error.reason] ?? again].filter(Boolean).join(" ");
}
