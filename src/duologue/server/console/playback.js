/** Plays a recording: goes from event to event as the times between them passed, faster or slower. */

/** Longest wait between two events while playing, in ms at speed 1: nobody watches a person think for an hour. */
const LONGEST_MS = 2_000;

/** Shortest wait for a timer, in ms: events nearer than that are shown together. */
const TOGETHER_MS = 15;

export class Playback {
  #timer = null;
  #due = 0;
  #handlers;
  speed = 1;

  /** @param {{gapAfter: () => number | null, step: (count: number) => void, stopped: () => void}} handlers
   *   `gapAfter`: ms from the current event to the next, null where there is none; `step`: go on by that many. */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  get playing() {
    return this.#timer !== null;
  }

  start() {
    this.stop();
    this.#due = performance.now();
    this.#wait();
  }

  stop() {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#handlers.stopped();
  }

  #wait() {
    const gap = this.#handlers.gapAfter();
    if (gap === null) {
      this.stop();
      return;
    }
    this.#due += Math.min(gap, LONGEST_MS) / this.speed;
    this.#timer = setTimeout(() => this.#go(), Math.max(0, this.#due - performance.now()));
  }

  #go() {
    this.#handlers.step(1);
    // A timer for each event of the same moment would fall behind.
    for (let gap = this.#handlers.gapAfter(); gap !== null; gap = this.#handlers.gapAfter()) {
      const due = this.#due + Math.min(gap, LONGEST_MS) / this.speed;
      if (due > performance.now() + TOGETHER_MS) break;
      this.#due = due;
      this.#handlers.step(1);
    }
    if (this.playing) this.#wait();
  }
}
