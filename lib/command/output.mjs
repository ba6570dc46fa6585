// Where a command writes: text or one JSON document on stdout, everything else on stderr.

import { json, spelled } from "./text.mjs";

const SGR = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

export class Output {
  constructor(process, { json = false } = {}) {
    this.stdout = process.stdout;
    this.stderr = process.stderr;
    this.json = json;
    // `hasColors` knows NO_COLOR, FORCE_COLOR and what TERM can do.
    this.coloured = Boolean(this.stdout.isTTY && this.stdout.hasColors?.());
  }

  /** The columns of the terminal; `Infinity` where the output is not one. */
  get columns() {
    return (this.stdout.isTTY && this.stdout.columns) || Infinity;
  }

  get rows() {
    return (this.stdout.isTTY && this.stdout.rows) || Infinity;
  }

  colour(name, text) {
    return this.coloured ? `\u001b[${SGR[name]}m${text}\u001b[0m` : text;
  }

  /** The one answer of a command: the document, or the lines. */
  answer(document, lines) {
    this.stdout.write(this.json ? `${json(document)}\n` : lines.map((line) => `${line}\n`).join(""));
  }

  /** Waits for something; a person who waits longer than a second is shown that it goes on. */
  async during(what, promise) {
    if (!this.stderr.isTTY) return promise;
    const started = Date.now();
    const steps = 20;
    let shown = false;
    const timer = setInterval(() => {
      if (Date.now() - started < 1000) return;
      shown = true;
      const at = Math.floor((Date.now() - started) / 250) % steps;
      const bar = Array.from({ length: steps }, (_, step) => (step === at ? "#" : "·")).join("");
      this.stderr.write(`\r${what} [${bar}] ${Math.floor((Date.now() - started) / 1000)} s`);
    }, 250);
    try {
      return await promise;
    } finally {
      clearInterval(timer);
      if (shown) this.stderr.write("\r\u001b[K");
    }
  }

  note(text) {
    this.stderr.write(`seatkit: ${spelled(text)}\n`);
  }
}
