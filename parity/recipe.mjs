// Values as recipes: plain data that is built afresh for each side, so that both see the same
// value with the same history, every touch of it is written down, and a difference can be shrunk.
//
// A recipe is `{ k: kind, ... }`; `build` lists the kinds. Whatever runs user code (getters, proxy
// traps, methods, iterators, callbacks) adds a line to the log, with the receiver and arguments.

import vm from "node:vm";

const realm = vm.createContext({});
const symbols = new Map();

/** The one symbol of this name; symbols are shared by both sides, as any primitive is. */
function symbol(name) {
  if (name.startsWith("@@")) return Symbol[name.slice(2)];
  if (!symbols.has(name)) symbols.set(name, Symbol(name));
  return symbols.get(name);
}

const key = (name) => (name.startsWith("@@") ? symbol(name) : name);

export class World {
  /** `describe` writes a value into the log; `api` is the side under test, for callbacks that call it. */
  constructor(describe, api) {
    this.log = [];
    this.names = new Map();
    this.describe = describe;
    this.api = api;
    this.undo = [];
  }

  note(what, name, ...values) {
    // An iterator may have been made that never ends.
    if (this.log.length >= 300) throw "endless";
    this.log.push(`${what} ${name}${values.map((value) => ` ${this.describe(value, this.names)}`).join("")}`);
  }

  /** Remembers an object by the place of its recipe. */
  own(object, name) {
    this.names.set(object, name);
    return object;
  }

  build(recipe, name) {
    const { k } = recipe;
    switch (k) {
      case "undefined": return undefined;
      case "null": return null;
      case "bool": return recipe.v;
      case "num": return recipe.v === "-0" ? -0 : Number(recipe.v);
      case "big": return BigInt(recipe.v);
      case "str": return recipe.v;
      case "sym": return symbol(recipe.v);
      case "boxed": return this.own(Object(this.build(recipe.of, `${name}.of`)), name);
      case "arr": return this.array(recipe, name);
      case "obj": return this.object(recipe, name);
      case "fn": return this.fn(recipe, name);
      case "proxy": return this.proxy(recipe, name);
      case "iter": return this.iterable(recipe, name);
      case "gen": return this.generator(recipe, name);
      case "set": return this.own(new Set(this.items(recipe, name)), name);
      case "map": return this.own(new Map(this.items(recipe, name).map((item, i) => [i, item])), name);
      case "date": return this.own(new Date(Number(recipe.v)), name);
      case "regexp": return this.own(/kim/g, name);
      case "promise": return this.own(new Promise(() => {}), name);
      case "bytes": return this.own(new Uint8Array([49, 50]), name);
      case "arguments": return this.own((function () { return arguments; })(...this.items(recipe, name)), name);
      case "error": return this.own(new globalThis[recipe.cls](recipe.v), name);
      case "foreign": return this.own(vm.runInContext(recipe.v, realm), name);
      case "revoked": {
        const { proxy, revoke } = Proxy.revocable(recipe.callable ? () => {} : {}, {});
        revoke();
        return this.own(proxy, name);
      }
      case "frozen": return Object.freeze(this.build(recipe.of, name));
      case "cycle": {
        const object = this.own({}, name);
        object.self = object;
        return object;
      }
      default: throw new Error(`no such recipe: ${k}`);
    }
  }

  items(recipe, name) {
    return recipe.items.map((item, i) => this.build(item, `${name}[${i}]`));
  }

  array(recipe, name) {
    const array = this.own(recipe.sub ? new (class Sub extends Array {})() : [], name);
    recipe.items.forEach((item, i) => {
      if (item.k === "hole") array.length = i + 1;
      else array[i] = this.build(item, `${name}[${i}]`);
    });
    for (const [k, prop] of recipe.props ?? []) this.define(array, k, prop, `${name}.${k}`);
    return array;
  }

  object(recipe, name) {
    const proto = { null: null, class: this.own({}, `${name}.proto`) };
    const object = this.own(recipe.proto ? Object.create(proto[recipe.proto]) : {}, name);
    const target = recipe.proto === "class" ? Object.getPrototypeOf(object) : object;
    for (const [k, prop] of recipe.props) this.define(target, k, prop, `${name}.${k}`);
    return object;
  }

  /** A property: a value, or (`{ k: "get" }`) an accessor with one outcome after the other. */
  define(object, k, prop, name) {
    const attributes = { enumerable: true, configurable: true };
    if (prop.k === "get") {
      Object.defineProperty(object, key(k), { ...attributes, get: this.getter(prop, name) });
    } else {
      Object.defineProperty(object, key(k), { ...attributes, writable: true, value: this.build(prop, name) });
    }
  }

  getter(prop, name) {
    const next = this.outcomes(prop, name);
    const world = this;
    return function () {
      world.note("get", name, this);
      return next();
    };
  }

  fn(recipe, name) {
    const next = this.outcomes(recipe, name);
    const world = this;
    const fn = function (...args) {
      world.note("call", name, this, args);
      return next();
    };
    // Its own text would be the text of this file.
    Object.defineProperty(fn, "toString", { value: () => "function" });
    return this.own(fn, name);
  }

  /** The outcomes in turn, the last one for ever: `{ ret }`, `{ thr }` or `{ api }`. */
  outcomes(recipe, name) {
    let turn = 0;
    const built = new Map();
    return () => {
      const i = Math.min(turn++, recipe.out.length - 1);
      const outcome = recipe.out[i];
      if (outcome.api) return this.api[outcome.api](...outcome.args.map((arg, j) => this.build(arg, `${name}(${i},${j})`)));
      if (!built.has(i)) built.set(i, this.build(outcome.ret ?? outcome.thr, `${name}<${i}>`));
      if (outcome.thr) throw built.get(i);
      return built.get(i);
    };
  }

  /** Every trap is written down and then does what it would do anyway. */
  proxy(recipe, name) {
    const target = this.build(recipe.of, `${name}.target`);
    const handler = {};
    for (const trap of Object.getOwnPropertyNames(Reflect)) {
      handler[trap] = (of, ...args) => {
        this.note(trap, name, ...args);
        return Reflect[trap](of, ...args);
      };
    }
    return this.own(new Proxy(target, handler), name);
  }

  /** An iterable written by hand; `fail` says which step misbehaves, and how. */
  iterable(recipe, name) {
    const items = this.items(recipe, name);
    const iterator = this.own({}, `${name}.iterator`);
    let at = 0;
    const step = () => {
      this.note("next", name);
      const odd = recipe.fail?.at === at ? recipe.fail : undefined;
      if (odd) at++;
      if (odd?.thr) throw this.build(odd.thr, `${name}.fail`);
      if (odd?.ret) return this.build(odd.ret, `${name}.fail`);
      const done = at >= items.length;
      const value = items[at++];
      const noted = (k, v) => ({ enumerable: true, get: () => { this.note("get", `${name}.step.${k}`); return v; } });
      return Object.defineProperties({}, { done: noted("done", done && recipe.done !== "" ? 1 : done), value: noted("value", value) });
    };
    Object.defineProperty(iterator, "next", { get: () => { this.note("get", `${name}.next`); return recipe.next ? this.build(recipe.next, `${name}.next`) : step; } });
    iterator.return = () => { this.note("return", name); return {}; };
    const world = this;
    return this.own({
      [Symbol.iterator](...args) {
        world.note("iterator", name, this, args);
        return recipe.result ? world.build(recipe.result, `${name}.result`) : iterator;
      },
    }, name);
  }

  generator(recipe, name) {
    const world = this;
    return this.own((function* () {
      try {
        for (let i = 0; i < recipe.items.length; i++) {
          world.note("yield", name);
          yield world.build(recipe.items[i], `${name}[${i}]`);
        }
        if (recipe.thr) throw world.build(recipe.thr, `${name}.thr`);
      } finally {
        world.note("finally", name);
      }
    })(), name);
  }

  /** Changes to what is built in, for the time of one call: `[owner, property, prop]`. */
  patch(patches) {
    for (const [owner, property, prop] of patches) {
      const object = owner === "JSON" ? JSON : globalThis[owner].prototype;
      const before = Object.getOwnPropertyDescriptor(object, property);
      this.undo.push(() => {
        if (before) Object.defineProperty(object, property, before);
        else delete object[property];
      });
      const name = `${owner}.${property}`;
      if (prop.k === "set") {
        Object.defineProperty(object, property, { configurable: true, set: () => { this.note("set", name); }, get: () => undefined });
      } else if (prop.k === "get") {
        const next = this.outcomes(prop, name);
        const world = this;
        // Strict, so that a primitive receiver stays one.
        Object.defineProperty(object, property, { configurable: true, get() { world.note("get", name, this); return next(); } });
      } else {
        Object.defineProperty(object, property, { configurable: true, writable: true, value: this.build(prop, name) });
      }
    }
  }

  unpatch() {
    while (this.undo.length > 0) this.undo.pop()();
  }
}
