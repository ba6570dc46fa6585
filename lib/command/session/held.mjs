// Which session a command is about.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Failure, usage } from "../failure.mjs";
import { spanOf } from "../time.mjs";

const RUN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A run that has no record any more, or none that is its own. */
export const RECORD_NOTE = "RECORD is the file that start was given, or a run as `seatkit session list` shows it.";

/** The session of a record's path or of a run; of a run without a record only its id. */
export async function heldBy(given) {
  const { adoptSession, listRuns } = await import("seatkit/session");
  let file = resolve(given);
  if (RUN.test(given) && !existsSync(file)) {
    const found = (await listRuns()).find(({ run }) => run === given);
    if (!found) throw new Failure("not-found", `there is no run ${given} any more`);
    if (found.recordFile === null) return { run: given };
    file = found.recordFile;
  }
  const adopted = await adoptSession(file);
  const foreign = adopted.ok && RUN.test(given) && adopted.session.record.run !== given;
  if (RUN.test(given) && (foreign || !adopted.ok)) return { run: given };
  if (!adopted.ok) throw Failure.of(adopted);
  return { session: adopted.session, run: adopted.session.record.run };
}

/** The session of a record; a run that is on no record cannot be asked. */
export async function sessionOf(given) {
  const { session, run } = await heldBy(given);
  if (!session) throw new Failure("no-record", `run ${run} is on no record: it can be stopped, and nothing else`);
  return session;
}

/** The milliseconds of a span. */
export function millisOf(option, text) {
  if (text === undefined) return undefined;
  const millis = spanOf(text);
  if (millis === undefined) throw usage(`--${option} takes a span such as 30s or 1h30m, not ${JSON.stringify(text)}`);
  return millis;
}
