// The comparison with the JavaScript references, and the proof that it would see a difference.

import { test } from "node:test";
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { replay } from "../parity/golden.mjs";
import { haveReferences, loadReferences, withDeviations } from "../parity/references.mjs";
import { run } from "../parity/run.mjs";

const seatkit = createRequire(import.meta.url)("seatkit");
const skip = haveReferences ? false : "the references are not beside the project";

test("every recorded answer of the references is seatkit's answer too", () => {
  const { count, names, differences } = replay();
  assert.deepEqual(differences, []);
  assert.ok(count >= 800, `${count} calls`);
  assert.equal(names.size, 10);
});

test("generated calls have the references' answers, errors and order of effects", { skip }, async (t) => {
  const seed = 20260908;
  t.diagnostic(`seed ${seed}`);
  const { differences, counts, answers } = await run({ seed, calls: 4000 });
  assert.deepEqual(differences, []);
  assert.equal(Object.keys(counts).length, 10);
  assert.ok(answers.threw > 400 && answers.returned > 2000, JSON.stringify(answers));
});

// Each changes one thing about one export, as a slip in the binding would.
const SLIPS = {
  "a property is read once more": (r) => ({ ...r, chooseMux: (pref, found) => (void found?.screen, r.chooseMux(pref, found)) }),
  "two properties are read in another order": (r) => ({ ...r, buildMuxCommands: (a) => (void a?.muxName, r.buildMuxCommands(a)) }),
  "keys are in another order": (r) => ({
    ...r,
    detectMux: (deps) => {
      const { tmux, screen } = r.detectMux(deps);
      return { screen, tmux };
    },
  }),
  "a shared object is copied": (r) => ({
    ...r,
    buildMuxCommands: (a) => {
      const commands = r.buildMuxCommands(a);
      return { ...commands, exists: { ...commands.exists } };
    },
  }),
  "a result has no prototype": (r) => ({
    ...r,
    resolveTmuxSessionId: (name, runner) => Object.assign(Object.create(null), r.resolveTmuxSessionId(name, runner)),
  }),
  "a result is frozen": (r) => ({ ...r, buildTmuxSessionLookupArgs: (name) => Object.freeze(r.buildTmuxSessionLookupArgs(name)) }),
  "a thrown value is wrapped": (r) => ({
    ...r,
    resolveTmuxSessionId: (name, runner) => r.resolveTmuxSessionId(name, (args) => {
      try {
        return runner(args);
      } catch (error) {
        throw error instanceof Error ? error : new Error(String(error));
      }
    }),
  }),
  "an error has another class": (r) => ({
    ...r,
    buildClaudeArgs: (a) => {
      try {
        return r.buildClaudeArgs(a);
      } catch (error) {
        throw error instanceof TypeError ? new Error(error.message) : error;
      }
    },
  }),
  "a message is worded otherwise": (r) => ({
    ...r,
    buildTmuxSessionLookupArgs: (name) => {
      try {
        return r.buildTmuxSessionLookupArgs(name);
      } catch (error) {
        if (error instanceof Error) error.message = error.message.replace("\ud800", "\ufffd").trimEnd();
        throw error;
      }
    },
  }),
  "a lone surrogate is lost": (r) => ({ ...r, mainSessionName: (first) => Buffer.from(r.mainSessionName(first)).toString() }),
  "white space is Unicode's": (r) => ({ ...r, parseExitFile: (text) => r.parseExitFile(typeof text === "string" ? text.replace(/\u0085/g, " ") : text) }),
  "a callback gets one argument more": (r) => ({ ...r, detectMux: (deps) => r.detectMux({ existsSync: (path) => deps.existsSync(path, 0) }) }),
  "a callback has another receiver": (r) => ({ ...r, detectMux: (deps) => r.detectMux({ existsSync: (path) => (0, deps.existsSync)(path) }) }),
  "a call is made twice": (r) => ({ ...r, chooseMux: (pref, found) => r.chooseMux(pref, found) && { ...r.chooseMux(pref, found) } }),
  "an iterable is not spread": (r) => ({ ...r, buildClaudeArgs: (a) => r.buildClaudeArgs(a instanceof Object && a.extraArgs instanceof Set ? { ...a, extraArgs: [] } : a) }),
  "an array is passed for a text": (r) => ({ ...r, classifyTmuxSessionName: (name) => (Array.isArray(name) ? null : r.classifyTmuxSessionName(name)) }),
  "a dead session is live": (r) => r,
};

for (const [slip, change] of Object.entries(SLIPS)) {
  test(`the comparison sees when ${slip}`, { skip }, async () => {
    const references = await loadReferences();
    const subject = change(slip === "a dead session is live" ? references : withDeviations(references));
    const { differences } = await run({ seed: 3, calls: 20_000, most: 1, subject });
    assert.equal(differences.length, 1);
    const [{ call }] = differences;
    assert.ok(JSON.stringify(call).length < 400, `shrunk to ${JSON.stringify(call)}`);
  });
}

test("the recorded answers see a slip too", () => {
  const subject = { ...seatkit, parseExitFile: (text) => seatkit.parseExitFile(text) ?? undefined };
  assert.ok(replay(subject).differences.length > 0);
});
