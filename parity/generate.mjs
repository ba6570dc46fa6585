// Calls of the pure exports, as recipes: mostly well-formed ones with something odd in them, some
// wholly arbitrary.

const undef = { k: "undefined" };
export const str = (v) => ({ k: "str", v });
export const num = (v) => ({ k: "num", v: Object.is(v, -0) ? "-0" : String(v) });
export const obj = (props, proto) => ({ k: "obj", props: Object.entries(props), ...(proto && { proto }) });
export const arr = (...items) => ({ k: "arr", items });
const bool = (v) => ({ k: "bool", v });

const ID = "0A1b2C3d-4e5f-6071-8293-a4b5c6d7e8f9";
const UNITS = [
  ..."aZ09_-.:;#$%=@ {}()|[]*+?^\\/\"'`~,&<>\n\r\t\0\v\f",
  "\ufeff", "\u0085", "\u00a0", "\u2028", "\u2029", "\u3000", "\u180e", "\u200b", "\u1680",
  "\ud800", "\udc00", "\ud83e\udd80", "é", "\u0130", "\u017f", "\u212a", "\u0661", "\uff11", "\u0000", "\u007f", "\u00ff", "\u0100",
];

/** What each export reads of the object it is given. */
const KEYS = {
  buildClaudeArgs: ["first", "sessionId", "mode", "permissionArgs", "extraArgs", "prompt"],
  detectMux: ["existsSync"],
  chooseMux: ["tmux", "screen"],
  buildMuxCommands: ["mux", "muxName", "cwd", "claudeBin", "claudeArgs", "exitFile"],
  resolveTmuxSessionId: ["status", "stdout", "stderr"],
};

export class Generator {
  /**
   * `lasting` leaves out what has another answer on another day: the deviations that are on purpose,
   * and the text of a date, which the time zone writes.
   */
  constructor(rng, { lasting = false } = {}) {
    this.rng = rng;
    this.lasting = lasting;
    this.depth = 0;
  }

  // ---- texts

  /** A text with none to three changes. */
  changed(text) {
    let units = [...text];
    for (let n = this.rng.pick([0, 0, 0, 0, 1, 1, 2, 3]); n > 0; n--) {
      const at = this.rng.below(units.length + 1);
      this.rng.weighted([
        [3, () => units.splice(at, 0, this.rng.pick(UNITS))],
        [2, () => units.splice(at, 1)],
        [2, () => units.splice(at, 1, this.rng.pick(UNITS))],
        [1, () => { units = units.concat(units.slice(at)); }],
        [1, () => { units = units.slice(0, at); }],
      ]);
    }
    return units.join("");
  }

  /** The usual text, or one of the others. */
  usually(usual, ...others) {
    return this.rng.chance(0.8) ? usual : this.rng.pick(others);
  }

  noise() {
    return this.rng.times(this.rng.below(8), () => this.rng.pick(UNITS)).join("");
  }

  text(...usual) {
    return this.rng.weighted([
      [8, () => this.changed(this.rng.pick(usual))],
      [1, () => this.noise()],
      [0.5, () => this.rng.pick(["", "undefined", "null", "0", "__proto__"])],
      [0.2, () => this.changed(this.rng.pick(usual).repeat(1 + this.rng.below(300)))],
    ].map(([weight, make]) => [weight * 10, make]));
  }

  // ---- odd values

  /** Anything at all. */
  odd() {
    this.depth++;
    try {
      const deep = this.depth > 3;
      return this.rng.weighted([
        [4, () => undef],
        [4, () => ({ k: "null" })],
        [3, () => bool(this.rng.chance(0.5))],
        [4, () => num(this.rng.pick([0, -0, 1, -1, 7, 137, 1.5, NaN, Infinity, 2 ** 31, 2 ** 53, 1e21, 1e-7]))],
        [2, () => ({ k: "big", v: this.rng.pick(["0", "1", "-1", "123456789012345678901234567890"]) })],
        [5, () => str(this.text("kim", ID, "tmux", "resume", "137", "\t7.kim\t(Detached)\n", "$3\n"))],
        [3, () => ({ k: "sym", v: this.rng.pick(["s", "", "@@iterator", "@@toPrimitive"]) })],
        [1, () => ({ k: "date", v: this.lasting ? "NaN" : this.rng.pick(["0", "NaN", "1e12"]) })],
        [1, () => ({ k: "regexp" })],
        [1, () => ({ k: "bytes" })],
        [1, () => ({ k: "cycle" })],
        [1, () => ({ k: "revoked", callable: this.rng.chance(0.5) })],
        [1, () => ({ k: "foreign", v: this.rng.pick(["[1, 'a']", "({ toString: () => 'kim' })", "new Error('x')", "(function () {})", "new String('kim')"]) })],
        [1, () => ({ k: "error", cls: this.rng.pick(["Error", "TypeError", "RangeError"]), v: this.noise() })],
        ...(deep ? [] : [
          [3, () => ({ k: "boxed", of: this.primitive() })],
          [4, () => this.array(() => this.odd())],
          [4, () => this.object(["toString", "valueOf", "@@toPrimitive", "toJSON", "length", "0", "kind", "bin", "tmux", "status"])],
          [4, () => this.convertible(() => this.odd())],
          [3, () => this.fn(() => this.odd())],
          [3, () => ({ k: "proxy", of: this.object(["toString", "kind", "bin", "status"]) })],
          [1, () => ({ k: "proxy", of: this.fn(() => this.odd()) })],
          [1, () => ({ k: "proxy", of: this.array(() => this.odd()) })],
          [3, () => this.iterable(() => this.odd())],
          [1, () => ({ k: "promise" })],
          [1, () => ({ k: "frozen", of: this.object(["kind", "a"]) })],
        ]),
      ]);
    } finally {
      this.depth--;
    }
  }

  primitive() {
    return this.rng.pick([str(this.text("kim", "tmux", ID, "7")), str(""), num(0), num(7), bool(false), bool(true), { k: "big", v: "0" }, { k: "sym", v: "s" }]);
  }

  array(item) {
    const array = arr(...this.rng.times(this.rng.below(4), () => (this.rng.chance(0.1) ? { k: "hole" } : item())));
    if (this.rng.chance(0.1)) array.sub = true;
    if (this.rng.chance(0.1)) array.props = [["@@iterator", this.rng.chance(0.5) ? this.odd() : { k: "get", out: [this.outcome(() => this.odd())] }]];
    return array;
  }

  object(keys) {
    const props = this.rng.times(this.rng.below(4), () => [this.rng.pick(keys), this.property(() => this.odd())]);
    return { k: "obj", props: [...new Map(props)], ...(this.rng.chance(0.2) && { proto: this.rng.pick(["null", "class"]) }) };
  }

  /** A value, or an accessor that gives or throws one thing after the other. */
  property(value) {
    return this.rng.chance(0.25) ? { k: "get", out: this.rng.times(1 + this.rng.below(3), () => this.outcome(value)) } : value();
  }

  outcome(value) {
    return this.rng.weighted([
      [14, () => ({ ret: value() })],
      [2, () => ({ thr: this.odd() })],
      [1, () => ({ api: "parseExitFile", args: [str("7")] })],
    ]);
  }

  fn(value) {
    return { k: "fn", out: this.rng.times(1 + this.rng.below(3), () => this.outcome(value)) };
  }

  /** An object that becomes a primitive in one of the ways there are. */
  convertible(value) {
    const props = {};
    for (const method of ["@@toPrimitive", "toString", "valueOf", "toJSON"]) {
      if (this.rng.chance(0.4)) props[method] = this.property(() => (this.rng.chance(0.8) ? this.fn(value) : this.odd()));
    }
    return obj(props);
  }

  iterable(item) {
    const items = this.rng.times(this.rng.below(4), item);
    return this.rng.weighted([
      [2, () => ({ k: "set", items })],
      [1, () => ({ k: "map", items })],
      [1, () => ({ k: "arguments", items })],
      [2, () => ({ k: "gen", items, ...(this.rng.chance(0.2) && { thr: this.odd() }) })],
      [4, () => ({
        k: "iter",
        items,
        ...(this.rng.chance(0.15) && { result: this.odd() }),
        ...(this.rng.chance(0.1) && { next: this.odd() }),
        ...(this.rng.chance(0.2) && { fail: { at: this.rng.below(3), ...(this.rng.chance(0.5) ? { thr: this.odd() } : { ret: this.odd() }) } }),
      })],
    ]);
  }

  // ---- what the exports expect

  /** Usually what is expected, sometimes something that becomes it, sometimes anything. */
  mostly(usual, odd = 0.12) {
    if (this.rng.chance(odd)) return this.odd();
    if (this.rng.chance(0.06)) return this.convertible(usual);
    if (this.rng.chance(0.03)) return { k: "boxed", of: usual() };
    return usual();
  }

  word(...usual) {
    return this.mostly(() => str(this.text(...usual)));
  }

  list(...usual) {
    const item = () => this.mostly(() => str(this.text(...usual)), 0.15);
    return this.mostly(() => this.rng.weighted([
      [8, () => this.array(item)],
      [2, () => this.iterable(item)],
      [1, () => str(this.text(...usual))],
      [1, () => ({ k: "proxy", of: this.array(item) })],
    ]));
  }

  /** An argument object: keys missing, accessors, a proxy, an odd prototype, a primitive. */
  record(shape) {
    const props = Object.entries(shape)
      .filter(() => !this.rng.chance(0.04))
      .map(([name, make]) => [name, this.rng.chance(0.1) ? this.property(make) : make()]);
    const record = { k: "obj", props, ...(this.rng.chance(0.05) && { proto: this.rng.pick(["null", "class"]) }) };
    return this.rng.weighted([
      [80, () => record],
      [8, () => ({ k: "proxy", of: record })],
      [4, () => ({ k: "frozen", of: record })],
      [6, () => this.odd()],
    ]);
  }

  // ---- calls

  calls = {
    mainSessionName: () => [this.word("kim", "")],

    buildClaudeArgs: () => [this.record({
      first: () => this.word("kim"),
      sessionId: () => this.mostly(() => (this.rng.chance(0.8) ? str(ID) : this.rng.chance(0.2) ? arr(str(ID)) : str(this.changed(ID))), 0.08),
      mode: () => this.mostly(() => str(this.rng.pick(["session-id", "resume", "resume", this.changed("resume")]))),
      permissionArgs: () => (this.rng.chance(0.2) ? undef : this.list("--allowedTools", "Read")),
      extraArgs: () => (this.rng.chance(0.2) ? undef : this.list("--model", "opus")),
      prompt: () => (this.rng.chance(0.4) ? undef : this.word("go on", "")),
    })],

    detectMux: () => [this.record({ existsSync: () => this.mostly(() => this.fn(() => (this.rng.chance(0.8) ? bool(this.rng.chance(0.3)) : this.odd()))) })],

    chooseMux: () => [
      this.word("auto", "screen", "tmux"),
      this.record({
        tmux: () => (this.rng.chance(0.3) ? { k: "null" } : this.word("/usr/bin/tmux", "")),
        screen: () => (this.rng.chance(0.3) ? { k: "null" } : this.word("/usr/bin/screen", "")),
      }),
    ],

    buildMuxCommands: () => [this.record({
      mux: () => this.record({
        kind: () => this.mostly(() => str(this.rng.pick(["tmux", "screen", "tmux", "screen", this.changed("tmux")]))),
        bin: () => this.word("/usr/bin/tmux"),
      }),
      muxName: () => this.word("maestro-kim"),
      cwd: () => this.word("/seat"),
      claudeBin: () => this.word("claude"),
      claudeArgs: () => this.list("--name", "kim-main"),
      exitFile: () => this.word("/seat/exit"),
    })],

    parseScreenList: () => {
      const name = this.rng.chance(0.7) ? this.rng.pick(["kim", "kim.b", "a(b)", "k*", "x y", "é"]) : this.text("kim", "a.b", "(", "[", "$&");
      return [this.mostly(() => str(this.listing(name)), 0.08), this.mostly(() => str(this.rng.chance(0.8) ? name : this.changed(name)), 0.1)];
    },

    parseExitFile: () => [this.mostly(() => str(this.text("0\n", "137", " 7 ", "\ufeff1\n", "1000", "\r\n42")), 0.1)],

    classifyTmuxSessionName: () => [this.word("kim", "maestro-kim_2", "0")],

    buildTmuxSessionLookupArgs: () => [this.word("kim", "maestro-kim_2", "0")],

    resolveTmuxSessionId: () => [
      this.mostly(() => str(this.rng.chance(0.8) ? "maestro-kim" : this.changed("kim"))),
      this.mostly(() => this.fn(() => this.run()), 0.06),
    ],
  };

  run() {
    const run = () => this.record({
      status: () => this.mostly(() => this.rng.weighted([[8, () => num(0)], [2, () => num(1)], [2, () => ({ k: "null" })], [1, () => num(-0)]]), 0.08),
      stdout: () => this.mostly(() => (this.rng.chance(0.8) ? str(this.ids()) : this.foreignOutput()), 0.08),
      stderr: () => this.mostly(() => (this.rng.chance(0.9) ? str(this.text(" lost server\n", "")) : obj({ trim: this.fn(() => this.odd()) })), 0.1),
    });
    return this.rng.chance(0.05) ? { k: "promise" } : run();
  }

  ids() {
    const id = this.usually("$3", "$0", "$12", "$", "3");
    const line = () => this.rng.weighted([[12, () => id], [1, () => this.changed(id)], [1, () => ` ${id} `], [1, () => ""], [1, () => this.rng.pick(["\ufeff", "\u0085", "\u2028"]) + id]]);
    return this.rng.times(this.rng.below(4), () => line() + this.usually("\n", "\r\n", "")).join("");
  }

  /** An output that is no string but behaves as one, more or less. */
  foreignOutput() {
    const lines = () => this.array(() => this.mostly(() => str(this.rng.pick(["$3", " $3 ", "", "$3\r", "x"])), 0.2));
    const filtered = () => this.rng.chance(0.7) ? lines() : obj({ 0: this.property(() => str("$3")), some: this.fn(() => bool(this.rng.chance(0.3))) });
    const mapped = () => this.rng.chance(0.7) ? lines() : obj({ filter: this.fn(filtered) });
    return obj({ split: this.property(() => this.fn(() => this.rng.chance(0.7) ? lines() : obj({ map: this.fn(mapped) }))) });
  }

  listing(name) {
    const states = ["(Detached)", "(Attached)", "(Multi, attached)", "(Dead ???)", "(Dead", "(Deadline)", "(Dead_)", "(dead)", "",
      ...(this.lasting ? [] : ["(Remote or dead)", "(Removed)", "(Removed", "Removed)"])];
    const line = () => this.rng.weighted([
      [8, () => [
        this.usually("\t", " ", "", "\ufeff", "\u0085", "\r"),
        this.usually("48213", "7", "", "x", "\u0661"),
        this.usually(".", ""),
        this.usually(name, this.changed(name)),
        this.usually("\t", " ", "", "\u00a0", "\u0085", "-"),
        this.rng.pick(states),
      ].join("")],
      [1, () => "There are screens on:"],
      [1, () => this.noise()],
    ]);
    return this.rng.times(this.rng.below(5), () => line() + this.rng.pick(["\n", "\r\n", "\n", "\r", "\u2028", ""])).join("");
  }

  /** One call: an export, its arguments, and what is changed about the built-ins meanwhile. */
  call(names = Object.keys(this.calls)) {
    const name = this.rng.pick(names);
    let args = this.rng.chance(0.02) ? this.rng.times(this.rng.below(4), () => this.odd()) : this.calls[name]();
    if (this.rng.chance(0.02)) args = args.slice(0, this.rng.below(args.length + 1));
    if (this.rng.chance(0.02)) args = [...args, this.odd(), this.odd()];
    if (!this.rng.chance(0.06)) return { name, args, patches: [] };
    if (KEYS[name] && this.rng.chance(0.3)) return this.onPrimitive(name, args);
    return { name, args, patches: [this.patch()] };
  }

  /** A primitive where an object is expected, its prototype having what the object would have. */
  onPrimitive(name, args) {
    const [owner, value] = this.rng.pick([["String", str("kim")], ["Number", num(7)], ["Boolean", bool(true)], ["Symbol", { k: "sym", v: "s" }], ["BigInt", { k: "big", v: "7" }]]);
    const place = name === "resolveTmuxSessionId" || name === "chooseMux" ? 1 : 0;
    const given = name === "resolveTmuxSessionId" ? { k: "fn", out: [{ ret: value }] } : value;
    const usual = { kind: "tmux", sessionId: ID, mode: "resume", claudeArgs: "ab", status: "0", stdout: "$3" };
    const patches = KEYS[name].map((key) => [owner, key, { k: "get", out: [this.outcome(() => {
      if (key === "mux") return obj({ kind: str("tmux"), bin: str("/b") });
      return key === "status" ? num(0) : this.mostly(() => str(usual[key] ?? "x"));
    })] }]);
    return { name, args: args.map((arg, i) => (i === place ? given : arg)), patches };
  }

  patch() {
    return this.rng.weighted([
      [2, () => ["JSON", "stringify", this.fn(() => this.odd())]],
      [1, () => ["JSON", "stringify", this.odd()]],
      [2, () => ["Object", this.rng.pick(["file", "args", "ok", "tmux", "kind", "blocking", "reason", "code"]), { k: "set" }]],
      [1, () => ["Array", this.rng.pick(["0", "1", "7"]), { k: "set" }]],
      [2, () => ["Object", this.rng.pick(["sessionId", "mode", "mux", "tmux", "status", "stdout", "prompt", "toJSON"]), { k: "get", out: [this.outcome(() => this.odd())] }]],
      [1, () => [this.rng.pick(["String", "Number", "BigInt"]), "toJSON", { k: "get", out: [this.outcome(() => this.odd())] }]],
    ]);
  }
}
