// A time that somebody wrote is the moment that `Date.parse` reads there, in every zone, where clocks are set too.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"];

/** Days on which some clock is set, repeats an hour or half of one, or leaves out a day; ends of months and years. */
const MOMENTS = [
  [2027, 2, 1, 9, 0],
  [2026, 2, 29, 1, 30],
  [2026, 2, 29, 2, 30],
  [2026, 9, 25, 2, 30],
  [2026, 9, 25, 0, 30],
  [2026, 10, 1, 1, 30],
  [2026, 2, 8, 2, 30],
  [2026, 3, 5, 1, 45],
  [2026, 9, 4, 2, 15],
  [2024, 1, 29, 23, 59],
  [2011, 11, 30, 12, 0],
  [1999, 11, 31, 12, 0],
  [1950, 5, 1, 12, 0],
].map((parts) => new Date(Date.UTC(...parts)));

const OFFSETS = ["Z", "+00:00", "+01:00", "-05:30", "+0100", "-0530", "+05:45", "+14:00", "-12:00"];
const MAIL_ZONES = ["GMT", "UT", "UTC", "Z", "+0000", "-0000", "+0100", "-0730", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT"];

/** The time that `moment` has in UTC, in every usual form, with every usual zone and with none. */
function forms(moment) {
  const iso = moment.toISOString();
  const [date, clock, minutes] = [iso.slice(0, 10), iso.slice(11, 19), iso.slice(11, 16)];
  const [weekday, day, month, year] = moment.toUTCString().replace(",", "").split(" ");
  const clocks = [clock, minutes, `${clock}.5`, `${clock}.250`, `${clock}.123456789`];
  return [
    iso,
    `+00${iso}`,
    date,
    date.slice(0, 7),
    ...clocks.flatMap((time) => ["", ...OFFSETS].flatMap((zone) => [`${date}T${time}${zone}`, `${date} ${time}${zone}`])),
    `${date} ${clock}+00`,
    `${date} ${clock} +0100`,
    `${date} ${clock} Z`,
    `${date}T24:00Z`,
    `${date}T24:00:00`,
    ...MAIL_ZONES.flatMap((zone) => [
      `${weekday}, ${day} ${month} ${year} ${clock} ${zone}`,
      `${weekday}, ${Number(day)} ${month} ${year} ${minutes} ${zone}`,
      `${Number(day)} ${month} ${year} ${clock} ${zone}`,
      `${weekday.toLowerCase()}, ${day} ${month.toUpperCase()} ${year.slice(2)} ${clock} ${zone}`,
    ]),
    `${weekday}, ${day} ${month} ${year} ${clock} +0200 (CEST)`,
    `${weekday}, ${day} ${month} ${year} ${clock}`,
    `${day} ${month} ${year}`,
    `${month} ${day}, ${year} ${minutes}`,
    moment.toString(),
    moment.toDateString(),
    moment.toUTCString(),
  ];
}

const self = fileURLToPath(import.meta.url);

if (process.argv[2] === "compare") {
  const { listInbox } = await import("seatkit/inbox-claims");
  const root = mkdtempSync(join(tmpdir(), "seatkit-times-"));
  try {
    const folder = join(root, "state", "inbox", "cohort");
    mkdirSync(folder, { recursive: true });
    const texts = MOMENTS.flatMap(forms);
    for (const [number, text] of texts.entries()) {
      writeFileSync(join(folder, `${String(number).padStart(6, "0")}.yaml.deferred`), `id: 1\ndeferred_until: ${JSON.stringify(text)}\n`);
    }
    const { items } = listInbox(root, { next: { now: Date.now() } });
    const read = items.map(({ next }) => new Date(next.at).toISOString());
    const expected = texts.map((text) => new Date(Date.parse(text)).toISOString());
    assert.deepEqual(
      texts.map((text, at) => `${text}: ${read[at]}`),
      texts.map((text, at) => `${text}: ${expected[at]}`),
    );
    console.log(texts.length);
  } finally {
    rmSync(root, { recursive: true });
  }
} else {
  for (const zone of ZONES) {
    test(`every usual form of a time is the moment that it is in ${zone}`, () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [self, "compare"], {
        encoding: "utf8",
        env: { ...process.env, TZ: zone, NODE_TEST_CONTEXT: undefined },
      });
      assert.equal(status, 0, stderr);
      assert.ok(Number(stdout) > 1000);
    });
  }
}
