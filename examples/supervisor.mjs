// Each item of an inbox becomes a session with the item as its prompt, one after the other. The supervisor may be
// killed at any moment: the next one goes on with what still runs, and nothing is worked on twice.
//   node examples/supervisor.mjs ROOT FOLDER PROGRAM [ARGUMENT...]
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as inbox from "seatkit/inbox-claims/promises";
import { adoptSession, startSession } from "seatkit/session";
const [OWNER, MINUTE] = ["supervisor", 60_000];

/** Works on a claim until it is answered, given up or, where this process is to end, given back. */
async function work(root, folder, claim, launch, signal) {
  const tell = (call, options) => inbox[call](root, claim.service, claim, options);
  const recordFile = join(folder, claim.token, "session.json");
  await mkdir(join(folder, claim.token), { recursive: true });
  let found = await adoptSession(recordFile);
  // What comes from a supervisor that was killed has begun where its process or its outcome is known.
  const begun = found.ok && (found.session.record.process !== null || (await found.session.ended()).kind !== "unknown");
  if (!begun && claim.text === undefined) return tell("releaseSessionClaim");
  if (!begun) found = await startSession({ muxName: "supervised", prompt: claim.text, cwd: folder, ...launch, recordFile });
  if (!found.ok) return tell("failInboxItem", { reason: found.message, retryAt: Date.now() + MINUTE });
  const { session } = found;
  const renew = async () => (await tell("renewSessionClaim")).error === "claim-lost" && session.stop();
  const renewing = setInterval(renew, 5 * MINUTE);
  const outcome = await session.ended({ signal }).catch(async () => (await session.stop()).outcome);
  clearInterval(renewing);
  if (outcome.kind === "exited" && outcome.code === 0) {
    await tell("markSessionReplied");
    await tell("markSessionDone");
  } else if (signal.aborted) {
    await tell("releaseSessionClaim");
  } else {
    await tell("failInboxItem", { reason: JSON.stringify(outcome), retryAt: Date.now() + MINUTE, maxAttempts: 3 });
  }
  await rm(join(folder, claim.token), { recursive: true });
}

export async function supervise(root, folder, launch, signal) {
  await mkdir(folder, { recursive: true });
  const claimed = (await inbox.listInbox(root, { state: "claimed" })).items.filter(({ markers }) => markers.claimedBy === OWNER);
  const claims = claimed.map(({ id, service, file, markers }) => ({ id, service, file, token: markers.claimToken }));
  for (const token of await readdir(folder)) {
    // Nobody waits any more for what works on a claim that is over.
    const found = await adoptSession(join(folder, token, "session.json"));
    if (found.ok && !claims.some((claim) => claim.token === token)) await found.session.stop();
  }
  for (const claim of claims) await work(root, folder, claim, launch, signal);
  while (!signal.aborted) {
    await inbox.sweepSessionInbox(root, { sessionLive: true });
    const next = inbox.claimNextItem(root, { claimedBy: OWNER, wait: true, timeoutMs: MINUTE, signal });
    const claim = await next.catch((error) => (signal.aborted ? {} : Promise.reject(error)));
    if (claim.ok) await work(root, folder, claim, launch, signal);
  }
}

if (process.argv[1]?.endsWith("supervisor.mjs")) {
  const [root, folder, claudeBin, ...claudeArgs] = process.argv.slice(2);
  const stop = new AbortController();
  process.on("SIGTERM", () => stop.abort());
  await supervise(root, folder, { claudeBin, claudeArgs }, stop.signal);
}
