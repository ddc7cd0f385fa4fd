/** Times for people. All take and give ms. */

/** A length of time. */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Time since the beginning, always of one form: 1:02:03.456, or 02:03.456. */
export function offset(ms) {
  const pad = (number, digits = 2) => String(number).padStart(digits, "0");
  const hours = Math.floor(ms / 3_600_000);
  const rest = `${pad(Math.floor(ms / 60_000) % 60)}:${pad(Math.floor(ms / 1000) % 60)}.${pad(ms % 1000, 3)}`;
  return hours ? `${hours}:${rest}` : rest;
}

/** Date and time of day. */
export function moment(ms) {
  return new Date(ms).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
}

const STEPS = [
  [60_000, 1000, "second"],
  [3_600_000, 60_000, "minute"],
  [86_400_000, 3_600_000, "hour"],
  [7 * 86_400_000, 86_400_000, "day"],
];

/** How long ago; beyond a week the date. */
export function ago(ms, now = Date.now()) {
  const passed = Math.max(0, now - ms);
  if (passed < 5_000) return "now";
  const step = STEPS.find(([until]) => passed < until);
  if (!step) return new Date(ms).toLocaleDateString([], { dateStyle: "medium" });
  return new Intl.RelativeTimeFormat("en", { style: "narrow" }).format(-Math.floor(passed / step[1]), step[2]);
}

/** How long something still lasts, in whole seconds; beyond an hour in minutes. */
export function left(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const pad = (number) => String(number).padStart(2, "0");
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${pad(seconds % 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${pad(Math.floor(seconds / 60) % 60)} min`;
}

/** An estimate of a wait: nobody knows it to the second. */
export function roughly(ms) {
  if (ms < 45_000) return "less than a minute";
  const minutes = Math.round(ms / 60_000);
  return minutes < 90 ? `about ${Math.max(1, minutes)} min` : `about ${Math.round(minutes / 60)} h`;
}
