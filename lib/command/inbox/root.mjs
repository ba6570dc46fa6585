// Which inbox a command is about.

import { statSync } from "node:fs";
import { Failure, usage } from "../failure.mjs";

export const ROOT = {
  root: { type: "string", value: "DIR", help: "the seat's root; SEATKIT_ROOT where not given, else the working folder" },
};
export const SERVICE = { service: { type: "string", value: "NAME", help: "one service of the inbox" } };

/** The root folder, which has to be there: a slip in its name would look like an empty inbox. */
export function rootOf({ values, env }) {
  const root = values.root ?? (env.SEATKIT_ROOT || process.cwd());
  if (root === "" || root.includes("\0")) throw usage("--root is not the name of a folder");
  let stat;
  try {
    stat = statSync(root);
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw new Failure("io", error.message, error.code);
  }
  if (!stat?.isDirectory()) throw new Failure("not-found", `there is no folder ${root}`);
  return root;
}

/** The service, checked as the library checks it. */
export function serviceOf({ values: { service } }) {
  if (service === "" || service?.startsWith(".") || /[/\0]/.test(service ?? "")) {
    throw usage(`--service takes one plain folder name, not ${JSON.stringify(service)}`);
  }
  return service;
}
