// An inbox as one writes it with node:fs and nothing else: what to measure against where no other
// JavaScript is at hand. It locks nothing and is not meant to be used.

import { appendFileSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MINUTE = 60_000;
const STATES = { "": "new", ".dispatched": "claimed", ".deferred": "deferred", ".processed": "processed" };
const NAME = /^(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-)?(.+)\.yaml(|\.dispatched|\.deferred|\.processed)$/;
const LINE = /^(claimed_by|claimed_at|deferred_until|deferred_reason|replied_at):[ \t]*(.*)$/;

const camelCase = (key) => key.replace(/_(.)/, (_, letter) => letter.toUpperCase());
const quoted = (value) => JSON.stringify(value);
const stamp = (time) => quoted(new Date(time).toISOString());
const folderOf = (root, service = "") => join(root, "state", "inbox", service);

function servicesOf(root) {
  const entries = readdirSync(folderOf(root), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function* itemsOf(root, service) {
  for (const file of readdirSync(folderOf(root, service)).sort()) {
    const match = NAME.exec(file);
    if (match) yield { service, file, id: match[1], state: STATES[match[2]] };
  }
}

export function sessionMarkerLines({ claimedBy, deferredUntil, deferredReason, repliedAt, now = Date.now() } = {}) {
  const lines = [];
  if (claimedBy) lines.push(`claimed_by: ${quoted(claimedBy)}`, `claimed_at: ${stamp(now)}`);
  if (deferredUntil != null) lines.push(`deferred_until: ${stamp(deferredUntil)}`);
  if (deferredReason != null) lines.push(`deferred_reason: ${quoted(deferredReason)}`);
  if (repliedAt != null) lines.push(`replied_at: ${stamp(repliedAt)}`);
  return lines.map((line) => `${line}\n`).join("");
}

export function parseSessionMarkers(body) {
  const markers = { claimedBy: null, claimedAt: null, deferredUntil: null, deferredReason: null, repliedAt: null };
  for (const line of body.split("\n")) {
    const match = LINE.exec(line);
    if (match) markers[camelCase(match[1])] = match[2].startsWith('"') ? JSON.parse(match[2]) : match[2];
  }
  return markers;
}

export function stripSessionMarkers(body) {
  return body
    .split("\n")
    .filter((line) => !LINE.test(line))
    .join("\n");
}

export function findInboxFile(root, id, { service } = {}) {
  const parts = [];
  for (const name of service ? [service] : servicesOf(root)) {
    for (const item of itemsOf(root, name)) {
      const found = { service: name, state: item.state, file: item.file, path: join(folderOf(root, name), item.file) };
      if (item.id === id) return found;
      if (item.file.includes(id)) parts.push(found);
    }
  }
  return parts.length === 1 ? parts[0] : null;
}

/** Writes the item anew, with other marker lines at its end. */
function rewrite(path, lines) {
  const item = stripSessionMarkers(readFileSync(path, "utf8"));
  writeFileSync(path, (item.endsWith("\n") ? item : `${item}\n`) + lines);
}

export function markSessionClaim(root, service, { id }, { now = Date.now(), claimedBy = "session" } = {}) {
  const found = findInboxFile(root, id, { service });
  if (found?.state !== "new") return { ok: false, error: "not-claimable" };
  const path = `${found.path}.dispatched`;
  renameSync(found.path, path);
  rewrite(path, sessionMarkerLines({ claimedBy, now }));
  return { ok: true, path };
}

export function markSessionDeferral(root, service, { id }, { until, reason = "", now = Date.now() }) {
  const found = findInboxFile(root, id, { service });
  if (found?.state !== "new" && found?.state !== "claimed") return { ok: false, error: "not-deferrable" };
  const path = found.path.replace(/\.yaml(\.dispatched)?$/, ".yaml.deferred");
  rewrite(found.path, sessionMarkerLines({ deferredUntil: until, deferredReason: reason, now }));
  renameSync(found.path, path);
  return { ok: true, path };
}

export function markSessionReplied(root, service, { id }, { now = Date.now() } = {}) {
  const found = findInboxFile(root, id, { service });
  if (found?.state !== "claimed") return { ok: false, error: "not-in-flight" };
  appendFileSync(found.path, sessionMarkerLines({ repliedAt: now }));
  return { ok: true, path: found.path };
}

/** Why an item in flight is due, if it is. */
function reasonFor(path, state, markers, now, sessionLive) {
  const age = (text) => now - (Date.parse(text) || statSync(path).mtimeMs);
  if (markers.repliedAt !== null) return age(markers.repliedAt) > 60 * MINUTE ? "replied-retired" : null;
  if (state === "deferred") return markers.deferredUntil !== null && age(markers.deferredUntil) >= 0 ? "deferral-due" : null;
  if (markers.claimedBy === "session") return age(markers.claimedAt) > 20 * MINUTE ? "claim-stale" : null;
  return markers.claimedBy === null && sessionLive && age("") > 30 * MINUTE ? "daemon-orphan" : null;
}

export function sweepSessionInbox(root, { now = Date.now(), sessionLive = false } = {}) {
  const reopened = [];
  let scanned = 0;
  for (const service of servicesOf(root)) {
    for (const { file, id, state } of itemsOf(root, service)) {
      if (state !== "claimed" && state !== "deferred") continue;
      scanned += 1;
      const path = join(folderOf(root, service), file);
      const reason = reasonFor(path, state, parseSessionMarkers(readFileSync(path, "utf8")), now, sessionLive);
      if (!reason) continue;
      const retired = reason === "replied-retired";
      if (!retired) rewrite(path, "");
      renameSync(path, path.replace(/\.[a-z]+$/, retired ? ".processed" : ""));
      reopened.push({ id, service, reason });
    }
  }
  return { reopened, scanned };
}
