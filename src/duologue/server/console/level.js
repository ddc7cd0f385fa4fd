/** How loud the microphone is, once a picture. */

/** Quieter than this is shown as nothing, louder as all there is, in dB below full scale. */
const FLOOR_DB = -60;
const CEILING_DB = -12;

/** How long nothing at all may come from the start, in ms: a microphone that works is never so silent. */
const DEAD_MS = 8000;

export class Level {
  #context = new AudioContext();
  #source = null;
  #meter;
  #samples;
  #picture = 0;
  #aliveMs = performance.now();
  #show;
  #onDead;
  #listens = () => true;

  /**
   * @param {object} how
   * @param {(level: number) => void} how.show takes 0 to 1.
   * @param {() => void} how.onDead called once nothing at all has come for long.
   * @param {() => boolean} how.listens whether the microphone is switched on.
   */
  constructor({ show, onDead, listens }) {
    this.#show = show;
    this.#onDead = onDead;
    this.#listens = listens;
    this.#meter = new AnalyserNode(this.#context, { fftSize: 1024 });
    this.#samples = new Float32Array(this.#meter.fftSize);
  }

  /** Measure this from now on. */
  of(stream) {
    this.#source?.disconnect();
    this.#source = this.#context.createMediaStreamSource(stream);
    this.#source.connect(this.#meter);
    this.#context.resume();
    this.#aliveMs = performance.now();
    cancelAnimationFrame(this.#picture);
    this.#look();
  }

  close() {
    cancelAnimationFrame(this.#picture);
    this.#show(0);
    return this.#context.close();
  }

  #look() {
    this.#picture = requestAnimationFrame((now) => {
      this.#meter.getFloatTimeDomainData(this.#samples);
      let sum = 0;
      for (const sample of this.#samples) sum += sample * sample;
      this.#tell(sum / this.#samples.length, now);
      this.#look();
    });
  }

  #tell(power, now) {
    const db = 10 * Math.log10(power + 1e-12);
    this.#show(Math.min(1, Math.max(0, (db - FLOOR_DB) / (CEILING_DB - FLOOR_DB))));
    if (power > 0) {
      // What worked once is only taken for quiet: noise suppression may give nothing at all in pauses.
      this.#aliveMs = Infinity;
    } else if (!this.#listens()) {
      this.#aliveMs = now;
    } else if (now - this.#aliveMs > DEAD_MS) {
      this.#aliveMs = Infinity;
      this.#onDead();
    }
  }
}
