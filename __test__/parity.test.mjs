// The comparison with the JavaScript references, and the proof that it would see a difference.

import { test } from "node:test";
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { replay } from "./parity/golden.mjs";
import { haveReferences, loadReferences, withDeviations } from "./parity/references.mjs";
import { run } from "./parity/run.mjs";

const seatkit = createRequire(import.meta.url)("seatkit");
const skip = haveReferences ? false : "the references are not beside the project";

test("every recorded answer of the references is seatkit's answer too", () => {
  const { count, names, differences } = replay();
  assert.deepEqual(differences, []);
  assert.ok(count >= 800, `${count} calls`);
  assert.equal(names.size, 10);
});

test("generated calls have the references' answers and errors", { skip }, async (t) => {
  const seed = 20260908;
  t.diagnostic(`seed ${seed}`);
  const { differences, counts, answers } = await run({ seed, calls: 4000 });
  assert.deepEqual(differences, []);
  assert.equal(Object.keys(counts).length, 10);
  assert.ok(answers.threw > 300 && answers.returned > 2000, JSON.stringify(answers));
});

const caught = (call, change) => {
  try {
    return call();
  } catch (error) {
    throw change(error);
  }
};

// Each changes one thing about one export, as a slip in the binding would.
const SLIPS = {
  "an error has another class": (r) => ({
    ...r,
    buildClaudeArgs: (a) =>
      caught(
        () => r.buildClaudeArgs(a),
        ({ message }) => new RangeError(message),
      ),
  }),
  "a message is worded otherwise": (r) => ({
    ...r,
    buildTmuxSessionLookupArgs: (name) =>
      caught(
        () => r.buildTmuxSessionLookupArgs(name),
        ({ message }) => new Error(message.replace("refusing", "not going")),
      ),
  }),
  "what a callback throws is wrapped": (r) => ({
    ...r,
    resolveTmuxSessionId: (name, runner) =>
      caught(
        () => r.resolveTmuxSessionId(name, runner),
        ({ message }) => new Error(message),
      ),
  }),
  "a TypeError names nothing": (r) => ({
    ...r,
    classifyTmuxSessionName: (name) =>
      Array.isArray(name)
        ? caught(
            () => null.x,
            (error) => error,
          )
        : r.classifyTmuxSessionName(name),
  }),
  "white space is Unicode's": (r) => ({
    ...r,
    parseExitFile: (text) => r.parseExitFile(typeof text === "string" ? text.replace(/\u0085/g, " ") : text),
  }),
  "a missing value is another one": (r) => ({ ...r, chooseMux: (pref, found) => r.chooseMux(pref, found) ?? undefined }),
  "nothing is no text": (r) => ({ ...r, mainSessionName: (first) => (first === undefined ? "" : r.mainSessionName(first)) }),
  "a callback gets one argument more": (r) => ({
    ...r,
    detectMux: (deps) => r.detectMux({ existsSync: (path) => deps.existsSync(path, 0) }),
  }),
  "a callback is asked twice": (r) => ({
    ...r,
    resolveTmuxSessionId: (name, runner) => r.resolveTmuxSessionId(name, (args) => (runner(args), runner(args))),
  }),
  "a wrong value has an answer of its own": (r) => ({
    ...r,
    parseScreenList: (out, name) => (name === null ? false : r.parseScreenList(out, name)),
  }),
  "an argument is lost": (r) => ({ ...r, buildMuxCommands: (a) => r.buildMuxCommands({ ...a, claudeArgs: [] }) }),
  "a dead session is live": (r) => r,
};

for (const [slip, change] of Object.entries(SLIPS)) {
  test(`the comparison sees when ${slip}`, { skip }, async () => {
    const references = await loadReferences();
    const subject = change(slip === "a dead session is live" ? references : withDeviations(references));
    const { differences } = await run({ seed: 3, calls: 20_000, most: 1, subject });
    assert.equal(differences.length, 1);
  });
}

test("the recorded answers see a slip too", () => {
  const subject = { ...seatkit, parseExitFile: (text) => seatkit.parseExitFile(text) ?? undefined };
  assert.ok(replay(subject).differences.length > 0);
});
