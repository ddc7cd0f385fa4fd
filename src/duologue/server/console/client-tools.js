/** What the agent may ask this page to do, and how the page does it. Nothing here changes anything, or needs asking. */

/** @typedef {{name: string, description: string, parameters: object, run: (input: any) => object}} ClientTool */

/** @type {ClientTool[]} */
const TOOLS = [
  {
    name: "page_local_time",
    description: "The date, the time of day and the time zone where the person is.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    run() {
      const now = new Date();
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      return { time: now.toLocaleString("sv"), timeZone, utcOffsetMinutes: -now.getTimezoneOffset() };
    },
  },
  {
    name: "page_screen",
    description: "How large the person's window is, in CSS pixels, and whether they prefer dark and less motion.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    run() {
      const prefers = (what) => matchMedia(`(${what})`).matches;
      return {
        width: innerWidth,
        height: innerHeight,
        dark: prefers("prefers-color-scheme: dark"),
        lessMotion: prefers("prefers-reduced-motion: reduce"),
      };
    },
  },
];

/** What is told the agent of them. */
export const OFFERED = TOOLS.map(({ name, description, parameters }) => ({ name, description, parameters }));

/** Whether this page can run a tool. */
export function offers(name) {
  return TOOLS.some((tool) => tool.name === name);
}

/**
 * Run one.
 * @param {string} name
 * @param {object} input
 * @returns {{output: object} | {error: string}}
 */
export function run(name, input) {
  const tool = TOOLS.find((each) => each.name === name);
  if (!tool) return { error: `this page has no tool ${name}` };
  try {
    return { output: tool.run(input) };
  } catch (error) {
    return { error: error.message };
  }
}
