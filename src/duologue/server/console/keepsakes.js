/** What the browser remembers: which session this is, how one talks, and for the tab's life the token. */

import { ROOT } from "./here.js";

/** Two servers of one origin, below different paths, do not share what is kept. */
const WHERE = ROOT.pathname === "/" ? "" : ROOT.pathname;
const SESSION = `duologue.session${WHERE}`;
const TOKEN = `duologue.token${WHERE}`;

export const sessionId = keepsake(() => localStorage, SESSION);
export const token = keepsake(() => sessionStorage, TOKEN);
/** How the person talks, `open` or `explicit`, and through which devices. */
export const talking = keepsake(() => localStorage, `duologue.talking${WHERE}`);
/** What customers are told an operator is called. */
export const operatorName = keepsake(() => localStorage, `duologue.operator${WHERE}`);
export const microphoneId = keepsake(() => localStorage, `duologue.microphone${WHERE}`);
export const speakerId = keepsake(() => localStorage, `duologue.speaker${WHERE}`);

/** A value that is kept where the browser lets us, and in memory at least. */
function keepsake(storage, key) {
  let held = null;
  try {
    held = storage().getItem(key);
  } catch {
    // Storage is forbidden: the page works all the same, until it is reloaded.
  }
  return {
    get: () => held,
    set(value) {
      held = value;
      try {
        if (value === null) storage().removeItem(key);
        else storage().setItem(key, value);
      } catch {
        // As above.
      }
    },
  };
}
