// Why a command did not do what it was asked, and the exit code that says so to a script.

export const EXIT = { ok: 0, refused: 1, usage: 2, notFound: 3, io: 4 };

export const EXIT_HELP = `exit codes:
  0  done
  1  refused: somebody else has the item, it was answered, a name is taken, …
  2  usage: an option, an argument or a time is invalid
  3  not found: no such root, item or session, or more than one
  4  the system failed: a folder cannot be read, a program cannot be run, …`;

// Words that are not in this list are refusals.
const EXIT_OF = {
  usage: EXIT.usage,
  "invalid-argument": EXIT.usage,
  "invalid-time": EXIT.usage,
  "tmux-session-name-invalid": EXIT.usage,
  "not-found": EXIT.notFound,
  empty: EXIT.notFound,
  ambiguous: EXIT.notFound,
  "tmux-session-missing": EXIT.notFound,
  "no-tmux-context": EXIT.notFound,
  io: EXIT.io,
  "tmux-unavailable": EXIT.io,
  "screen-unavailable": EXIT.io,
  "no-record": EXIT.notFound,
  "no-pane": EXIT.notFound,
  "mux-missing": EXIT.io,
  "mux-not-run": EXIT.io,
  "mux-failed": EXIT.io,
  "mux-unavailable": EXIT.io,
  ERR_INVALID_ARG_VALUE: EXIT.usage,
};

/** A command that ends here: `error` is the word to branch on, as in the library's refusals. */
export class Failure extends Error {
  constructor(error, message, code) {
    super(message);
    this.error = error;
    this.code = code;
  }

  /** A refusal of the library. */
  static of({ error, message, code }) {
    return new Failure(error, message, code);
  }

  /** Anything that was thrown. */
  static from(thrown) {
    if (thrown instanceof Failure) return thrown;
    const { code, message } = thrown ?? {};
    if (code?.startsWith?.("ERR_PARSE_ARGS")) return new Failure("usage", message.replaceAll("\n", " "));
    if (code in EXIT_OF) return new Failure(code, message);
    const failure = new Failure("io", message ?? String(thrown), code);
    // A fault of this program shows where it is; a system's error says all there is to say.
    if (code === undefined) failure.trace = thrown?.stack;
    return failure;
  }

  get exit() {
    return EXIT_OF[this.error] ?? EXIT.refused;
  }

  /** The JSON document. */
  get document() {
    return { ok: false, error: this.error, ...(this.code === undefined ? {} : { code: this.code }), message: this.message };
  }
}

export const usage = (message) => new Failure("usage", message);
