// One text for a value, in which everything that a caller can see of it has its place: type,
// prototype, keys in order, attributes, holes, sharing. Two values are the same exactly when their
// texts are. Objects that the caller gave are written as the place they came from.

const PROTOTYPES = new Map([
  [Object.prototype, "Object"],
  [Array.prototype, "Array"],
  [Function.prototype, "Function"],
  [RegExp.prototype, "RegExp"],
  [null, "null"],
]);
const ERRORS = new Map(
  [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError].map((cls) => [cls.prototype, cls.name]),
);
// Messages that the contract writes; all others are the engine's own words.
const WRITTEN = /^(?:buildClaudeArgs|buildMuxCommands|resolve-tmux-session): /;

/** JSON, in which no code unit is lost. */
const quote = (text) => JSON.stringify(text);

export function describe(value, given = new Map(), long = new Map()) {
  const seen = new Map();

  function text(of) {
    switch (typeof of) {
      case "string": return long.get(of) ?? quote(of);
      case "number": return Object.is(of, -0) ? "-0" : String(of);
      case "bigint": return `${of}n`;
      case "symbol": return `Symbol(${of.description})`;
      case "undefined":
      case "boolean": return String(of);
      default: return of === null ? "null" : object(of);
    }
  }

  function object(of) {
    if (given.has(of)) return `<${given.get(of)}>`;
    if (seen.has(of)) return `&${seen.get(of)}`;
    const number = seen.size;
    seen.set(of, number);
    const proto = Object.getPrototypeOf(of);
    if (ERRORS.has(proto)) return error(of, ERRORS.get(proto));
    const head = PROTOTYPES.get(proto) ?? (of === globalThis ? "globalThis" : "?");
    if (head === "RegExp") return `${of}`;
    if (head === "globalThis" || typeof of === "function") return `${head}:${of.name}`;
    // A foreign prototype has a foreign shape; its text would be the engine's business.
    if (head === "?") return `?${Object.prototype.toString.call(of)}`;
    return `#${number} ${head}${Array.isArray(of) ? `(${of.length})` : ""}{${properties(of)}}`;
  }

  function error(of, name) {
    const { value: message } = Object.getOwnPropertyDescriptor(of, "message") ?? {};
    const written = typeof message === "string" && WRITTEN.test(message) ? quote(message) : "";
    const keys = Reflect.ownKeys(of).filter((key) => key !== "stack").map(String);
    const enumerable = Object.keys(of);
    return `${name}(${written})${written || enumerable.length > 0 ? ` ${keys} ${enumerable}` : ""}`;
  }

  function properties(of) {
    const parts = [];
    for (const key of Reflect.ownKeys(of)) {
      if (Array.isArray(of) && key === "length") continue;
      const { value: inner, get, set, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(of, key);
      const flags = (writable && enumerable && configurable) ? "" : `!${+!!writable}${+enumerable}${+configurable}`;
      parts.push(`${typeof key === "symbol" ? text(key) : quote(key)}${flags}: ${get || set ? "accessor" : text(inner)}`);
    }
    return parts.join(", ");
  }

  return text(value);
}

