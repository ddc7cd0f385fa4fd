/** What the browser remembers: which session this is, and for the tab's life the token. */

const SESSION = "duologue.session";
const TOKEN = "duologue.token";

export const sessionId = keepsake(() => localStorage, SESSION);
export const token = keepsake(() => sessionStorage, TOKEN);

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
