// What the map of the house names is there.

import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const guide = readFileSync(join(project, "CONTRIBUTING.md"), "utf8");

/** The rooms of the table: a file without a folder is in that of the one before it. */
function rooms() {
  const table = guide.split("| room | what is decided there |")[1].split("\n\n")[0];
  return table.split("\n").flatMap((row) => {
    const names = [...(row.split("|")[1]?.matchAll(/`(.+?)`/g) ?? [])].map((match) => match[1]);
    return names.map((name) => (name.includes("/") || name === "index.d.ts" ? name : join(dirname(names[0]), name)));
  });
}

test("every room of the map is there", () => {
  const named = rooms();
  assert.ok(named.length > 30, named.join(" "));
  for (const room of named) assert.ok(existsSync(join(project, room.replace(/\*.*$/, ""))), room);
});
