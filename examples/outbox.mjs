// Answering once. A mark is not a send: who is killed between the two has either sent what is not marked, and sends it
// again, or marked what was never sent. So the answer is an item itself, in an outbox. Its id is that of the question,
// so that it is there once however often the work is repeated, and whoever sends it gives that id along.
//
//   node examples/outbox.mjs ROOT

import {
  claimNextItem,
  deliverInboxItem,
  failInboxItem,
  markSessionDone,
  markSessionReplied,
  sweepSessionInbox,
} from "seatkit/inbox-claims/promises";

/** Works on what is new in `service`, until nothing is; what fails is tried again in a minute. */
async function work(root, service, act) {
  for (let claim; (claim = await claimNextItem(root, { service })).ok;) {
    try {
      await act(claim);
      await markSessionDone(root, service, claim);
    } catch (error) {
      await failInboxItem(root, service, claim, { reason: String(error), retryAt: Date.now() + 60_000, maxAttempts: 10 });
    }
  }
}

/** Answers what is in `mail`, and sends what was answered. */
export async function outbox(root, { answer, send, staleMs }) {
  // What a worker held that was killed comes back.
  await sweepSessionInbox(root, { sessionLive: true, staleMs });
  await work(root, "mail", async (claim) => {
    await deliverInboxItem(root, "outbox", { to: claim.item.sender, content: await answer(claim.item) }, { id: claim.id });
    await markSessionReplied(root, "mail", claim);
  });
  await work(root, "outbox", (claim) => send(claim.id, claim.item));
}

if (process.argv[1] === import.meta.filename || process.argv[1]?.endsWith("examples/outbox.mjs")) {
  const answer = async ({ content }) => `you wrote ${JSON.stringify(content)}`;
  const send = async (id, { to, content }) => console.log(`${id} to ${to}: ${content}`);
  await outbox(process.argv[2] ?? ".", { answer, send });
}
