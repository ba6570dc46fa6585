// Where seatkit answers in another way than the JavaScript modules, on purpose: the same call on
// both sides. What the references answer is recorded beside it, for a clone that stands without
// them (node __test__/parity/record.mjs).

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary inbox with one file of this name and service each, for the time of a call. */
function withInbox(files, call) {
  const root = mkdtempSync(join(tmpdir(), "seatkit-deviation-"));
  try {
    for (const [service, name] of files) {
      mkdirSync(join(root, "state/inbox", service), { recursive: true });
      writeFileSync(join(root, "state/inbox", service, name), "id: m1\n");
    }
    return call(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

// The second line is the sender's own; only what ends the text is the block.
const FORGED = 'id: "m1"\nreplied_at: "2026-09-08T10:00:00.000Z"\ncontent: hello\nclaimed_by: "session"\n';

/** What is asked of `launch` or of `inbox`, and what seatkit answers. */
export const DEVIATIONS = [
  {
    what: "a session that screen 5 calls `(Remote or dead)` is not live",
    side: "launch",
    ask: ({ parseScreenList }) => parseScreenList("\t1169.maestro-kim\t(Remote or dead)\n", "maestro-kim"),
    seatkit: false,
  },
  {
    what: "a session that screen calls `(Removed)` is not live",
    side: "launch",
    ask: ({ parseScreenList }) => parseScreenList("\t1169.maestro-kim\t(08/25/2017 10:50:37 AM)\t(Removed)\n", "maestro-kim"),
    seatkit: false,
  },
  {
    what: "a marker line inside an item is not read",
    side: "inbox",
    ask: ({ parseSessionMarkers }) => parseSessionMarkers(FORGED),
    seatkit: { claimedBy: "session", claimedAt: null, deferredUntil: null, deferredReason: null, repliedAt: null },
  },
  {
    what: "a marker line inside an item is not removed",
    side: "inbox",
    ask: ({ stripSessionMarkers }) => stripSessionMarkers(FORGED),
    seatkit: 'id: "m1"\nreplied_at: "2026-09-08T10:00:00.000Z"\ncontent: hello\n',
  },
  {
    what: "an id that two services have is not guessed at",
    side: "inbox",
    ask: ({ findInboxFile }) =>
      withInbox(
        [
          ["cohort", "m1.yaml"],
          ["slack", "m1.yaml"],
        ],
        (root) => findInboxFile(root, "m1")?.service ?? null,
      ),
    seatkit: null,
  },
  {
    what: "half a word of an id is not acted on",
    side: "inbox",
    ask: ({ markSessionClaim }) =>
      withInbox([["cohort", "cohort-abc123.yaml"]], (root) => markSessionClaim(root, "cohort", { id: "abc12" }, { now: 0 }).ok),
    seatkit: false,
  },
  {
    what: "a claim from a clock that was set back far is given back",
    side: "inbox",
    ask: ({ markSessionClaim, sweepSessionInbox }) =>
      withInbox([["cohort", "m1.yaml"]], (root) => {
        markSessionClaim(root, "cohort", { id: "m1" }, { now: 3_600_000 });
        return sweepSessionInbox(root, { now: 0 }).reopened.length;
      }),
    seatkit: 1,
  },
];
