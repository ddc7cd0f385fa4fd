/** Where the words of a text stand in what was drawn of it. Pure; spoken-view.js marks them. */

/**
 * Find a stretch of a text in its drawing, which holds the text's characters in order, but not all of them: signs of
 * Markdown are gone.
 * @param {string} source
 * @param {string} drawn
 * @param {{begin: number, end: number}} stretch in code points of the source; `end` may be infinite.
 * @returns {{begin: number, end: number}} in UTF-16 units of the drawing, as the DOM counts; empty where nothing of it was drawn.
 */
export function place(source, drawn, stretch) {
  const from = units(source, stretch.begin);
  const to = units(source, stretch.end);
  let at = 0;
  let begin = drawn.length;
  let end = 0;
  for (let index = 0; index < drawn.length && at < to; index += 1) {
    const found = source.indexOf(drawn[index], at);
    // What was not written there was added by whoever drew it.
    if (found < 0) continue;
    at = found + 1;
    if (found >= from && found < to) {
      begin = Math.min(begin, index);
      end = index + 1;
    }
  }
  return begin < end ? { begin, end } : { begin: 0, end: 0 };
}

/** The index in UTF-16 units of a code point's. */
function units(text, points) {
  if (points >= text.length) return text.length;
  let index = 0;
  for (let passed = 0; passed < points && index < text.length; passed += 1) index += text.codePointAt(index) > 0xffff ? 2 : 1;
  return index;
}
