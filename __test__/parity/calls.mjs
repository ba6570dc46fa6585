// Calls of the pure exports as plain data: mostly what the types allow, some with one value that they
// do not. A value that JSON has not is `{ $: what }`; `build` lists them.

const ID = "0A1b2C3d-4e5f-6071-8293-a4b5c6d7e8f9";
const UNITS = [
  ..."aZ09_-.:;#$%=@ {}()|[]*+?^\\/\"'`~,&<>\n\r\t\0\v\f",
  "\ufeff",
  "\u0085",
  "\u00a0",
  "\u2028",
  "\u2029",
  "\u3000",
  "\u180e",
  "\u200b",
  "\ud800",
  "\udc00",
  "\ud83e\udd80",
  "é",
  "\u0130",
  "\u212a",
  "\u0661",
  "\uff11",
  "\u007f",
  "\u0100",
];
const WRONG = [7, 0, true, false, ["kim"], {}, { length: 1 }, { $: "NaN" }, { $: "bytes" }, { $: "function" }];

/** The calls of a stream of random choices; `lasting` leaves out the rows that are read otherwise on purpose. */
export class Calls {
  constructor(rng, { lasting = false } = {}) {
    this.rng = rng;
    this.lasting = lasting;
  }

  /** A text with none to three changes. */
  changed(text) {
    const units = [...text];
    for (let n = this.rng.pick([0, 0, 0, 0, 1, 1, 2, 3]); n > 0; n--) {
      const at = this.rng.below(units.length + 1);
      units.splice(at, this.rng.below(2), ...(this.rng.chance(0.7) ? [this.rng.pick(UNITS)] : []));
    }
    return units.join("");
  }

  text(...usual) {
    return this.rng.weighted([
      [80, () => this.changed(this.rng.pick(usual))],
      [10, () => this.rng.times(this.rng.below(8), () => this.rng.pick(UNITS)).join("")],
      [5, () => this.rng.pick(["", "undefined", "null", "0", "__proto__"])],
    ]);
  }

  /** A text, or now and then something that is not one. */
  word(...usual) {
    return this.rng.chance(0.03) ? this.wrong() : this.text(...usual);
  }

  wrong() {
    this.isWrong = true;
    return this.rng.pick([...WRONG, null, { $: "undefined" }]);
  }

  /** What may also be missing: by the types, or because the reference answers that too. */
  optional(make) {
    return this.rng.weighted([
      [8, make],
      [1, () => null],
      [1, () => ({ $: "undefined" })],
    ]);
  }

  /** A word of which the reference takes the text, whatever it is; there, nothing is a text too. */
  named(...usual) {
    return this.rng.chance(0.06) ? this.rng.pick([null, { $: "undefined" }]) : this.word(...usual);
  }

  list(...usual) {
    return this.rng.chance(0.03) ? this.wrong() : this.rng.times(this.rng.below(4), () => this.word(...usual));
  }

  record(fields) {
    return Object.fromEntries(
      Object.entries(fields)
        .filter(() => !this.rng.chance(0.005) || !(this.isWrong = true))
        .map(([key, make]) => [key, make()]),
    );
  }

  calls = {
    mainSessionName: () => [this.named("kim", "Olivia")],
    buildClaudeArgs: () => [
      this.record({
        first: () => this.named("kim"),
        sessionId: () => this.named(ID, ID.toLowerCase()),
        mode: () => (this.rng.chance(0.9) ? this.rng.pick(["resume", "session-id"]) : this.named("resume")),
        permissionArgs: () => this.optional(() => this.list("--allowedTools", "Read")),
        extraArgs: () => this.optional(() => this.list("--model", "opus")),
        prompt: () => this.optional(() => this.word("go on", "")),
        ...(this.rng.chance(0.1) && { unknown: () => this.text("kim") }),
      }),
    ],
    detectMux: () => [this.rng.chance(0.05) ? this.optional(() => ({ existsSync: this.wrong() })) : { existsSync: this.exists() }],
    chooseMux: () => [
      this.rng.chance(0.7) ? this.rng.pick(["auto", "tmux", "screen"]) : this.named("screen"),
      this.record({
        tmux: () => this.optional(() => this.word("/usr/bin/tmux", "")),
        screen: () => this.optional(() => this.word("/usr/bin/screen", "")),
      }),
    ],
    buildMuxCommands: () => [
      this.record({
        mux: () =>
          this.record({
            kind: () => (this.rng.chance(0.9) ? this.rng.pick(["tmux", "screen"]) : this.named("tmux")),
            bin: () => this.word("/usr/bin/tmux"),
          }),
        muxName: () => this.word("maestro-kim"),
        cwd: () => this.word("/seat"),
        claudeBin: () => this.word("claude"),
        claudeArgs: () => this.list("--name", "kim-main"),
        exitFile: () => this.word("/seat/exit"),
      }),
    ],
    parseScreenList: () => {
      const name = this.rng.chance(0.7)
        ? this.rng.pick(["kim", "kim.b", "a(b)", "k*", "x y", "é"])
        : this.text("kim", "a.b", "(", "[", "$&");
      const out = this.rng.chance(0.08) ? this.rng.pick([null, { $: "undefined" }, 7, {}]) : this.listing(name);
      return [out, this.rng.chance(0.03) ? this.wrong() : this.rng.chance(0.8) ? name : this.changed(name)];
    },
    parseExitFile: () => [
      this.rng.chance(0.1)
        ? this.rng.pick([null, { $: "undefined" }, ...WRONG])
        : this.text("0\n", "137", " 7 ", "\ufeff1\n", "1000", "\r\n42"),
    ],
    classifyTmuxSessionName: () => [this.named("kim", "maestro-kim_2", "0")],
    buildTmuxSessionLookupArgs: () => [this.named("kim", "maestro-kim_2", "0")],
    resolveTmuxSessionId: () => [this.named("maestro-kim"), this.rng.chance(0.03) ? this.wrong() : this.run()],
  };

  exists() {
    const paths = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"].flatMap((folder) => [`${folder}/tmux`, `${folder}/screen`]);
    return { $: "exists", paths: paths.filter(() => this.rng.chance(0.3)), throws: paths.filter(() => this.rng.chance(0.1)) };
  }

  run() {
    if (this.rng.chance(0.05)) return { $: "run", throws: this.text("no tmux") };
    const status = this.rng.weighted([
      [8, () => 0],
      [2, () => 1],
      [2, () => null],
      [1, () => ({ $: "NaN" })],
      [1, () => ({ $: "undefined" })],
    ]);
    return {
      $: "run",
      answer: this.record({ status: () => status, stdout: () => this.ids(), stderr: () => this.text(" lost server\n", "") }),
    };
  }

  ids() {
    if (this.rng.chance(0.02)) return this.wrong();
    const id = this.rng.chance(0.8) ? "$3" : this.rng.pick(["$0", "$12", "$", "3"]);
    const line = () =>
      this.rng.weighted([
        [12, () => id],
        [1, () => this.changed(id)],
        [1, () => ` ${id} `],
        [1, () => ""],
        [1, () => this.rng.pick(["\ufeff", "\u0085", "\u2028"]) + id],
      ]);
    return this.rng.times(this.rng.below(4), () => line() + this.rng.pick(["\n", "\n", "\n", "\r\n", ""])).join("");
  }

  listing(name) {
    const states = [
      "(Detached)",
      "(Attached)",
      "(Multi, attached)",
      "(Dead ???)",
      "(Dead",
      "(Deadline)",
      "(Dead_)",
      "(dead)",
      "",
      ...(this.lasting ? [] : ["(Remote or dead)", "(Removed)", "(Removed", "Removed)"]),
    ];
    const usually = (usual, ...others) => (this.rng.chance(0.8) ? usual : this.rng.pick(others));
    const row = () =>
      [
        usually("\t", " ", "", "\ufeff", "\u0085", "\r"),
        usually("48213", "7", "", "x", "\u0661"),
        usually(".", ""),
        usually(name, this.changed(name)),
        usually("\t", " ", "", "\u00a0", "\u0085", "-"),
        this.rng.pick(states),
      ].join("");
    const line = () =>
      this.rng.weighted([
        [8, row],
        [1, () => "There are screens on:"],
        [1, () => this.text("kim")],
      ]);
    return this.rng.times(this.rng.below(5), () => line() + this.rng.pick(["\n", "\r\n", "\n", "\r", "\u2028", ""])).join("");
  }

  /** One call: an export, its arguments, and whether one of them is of a type that none should be. */
  call(names = Object.keys(this.calls)) {
    const name = this.rng.pick(names);
    this.isWrong = false;
    const args = this.calls[name]();
    return { name, args, wrong: this.isWrong };
  }
}

/** The value of a recipe. Callbacks write what they were asked into `log`. */
export function build(recipe, log = []) {
  if (Array.isArray(recipe)) return recipe.map((item) => build(item, log));
  if (recipe === null || typeof recipe !== "object") return recipe;
  switch (recipe.$) {
    case "undefined":
      return undefined;
    case "NaN":
      return NaN;
    case "bytes":
      return new Uint8Array([49, 50]);
    case "function":
      return () => "kim";
    case "exists":
      return (...asked) => {
        log.push(asked);
        if (recipe.throws.includes(asked[0])) throw new Error("no access");
        return recipe.paths.includes(asked[0]);
      };
    case "run":
      return (...asked) => {
        log.push(asked);
        if (recipe.throws !== undefined) throw new RangeError(recipe.throws);
        return build(recipe.answer, log);
      };
    default:
      return Object.fromEntries(Object.entries(recipe).map(([key, value]) => [key, build(value, log)]));
  }
}
