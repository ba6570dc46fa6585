// A seat of its own for one test, and both faces of the inbox.

import { test } from "node:test";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as sync from "seatkit/inbox-claims";
import * as promises from "seatkit/inbox-claims/promises";

export const T0 = Date.parse("2026-09-08T10:00:00.000Z");
export const MINUTE = 60_000;
export const STAMP = "2026-09-08T09-59-00-000Z-";
export const ITEM = 'id: "m1"\nsender: "Olivia Chen"\ncontent: |\n  can you send me the deck?\n';
export const CLAIM = 'claimed_by: "session"\nclaimed_at: "2026-09-08T10:00:00.000Z"\n';
export const NO_MARKERS = { claimedBy: null, claimedAt: null, deferredUntil: null, deferredReason: null, repliedAt: null };

export class Seat {
  constructor(t) {
    this.root = mkdtempSync(join(tmpdir(), "seatkit-inbox-"));
    t.after(() => rmSync(this.root, { recursive: true, force: true }));
    mkdirSync(this.folder(), { recursive: true });
  }

  folder(service = "cohort") {
    return join(this.root, "state", "inbox", service);
  }

  path(file, service) {
    return join(this.folder(service), file);
  }

  /** Writes a file as a daemon delivers it. */
  put(file, body = ITEM, service = "cohort") {
    mkdirSync(this.folder(service), { recursive: true });
    writeFileSync(this.path(file, service), body);
    return this.path(file, service);
  }

  read(file, service) {
    return readFileSync(this.path(file, service), "utf8");
  }

  ls(service) {
    return readdirSync(this.folder(service)).sort();
  }

  /** Every name with its bytes: what must not change where a call is refused. */
  image(service) {
    return this.ls(service).map((file) => [file, readFileSync(this.path(file, service)).toString("latin1")]);
  }
}

/** One test a face: the same rule for the calls and for their promises. */
export function eachFace(name, rule) {
  for (const [face, api] of Object.entries({ "inbox-claims": sync, "inbox-claims/promises": promises })) {
    test(`${name} (${face})`, (t) => rule(api, new Seat(t), t));
  }
}

/** An answer in one word: `ok`, or why not. */
export const word = (answer) => (answer.ok ? "ok" : answer.error);

/** What is listed; nothing may be left out. */
export async function items(api, ...args) {
  const { items: listed, failed } = await api.listInbox(...args);
  if (failed) throw new Error(JSON.stringify(failed));
  return listed;
}
