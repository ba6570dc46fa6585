// What a command could not handle, told on stderr.

import { EXIT } from "../failure.mjs";

/** Says what was skipped and why; the exit code that tells a script so. */
export function skipped(failed, output) {
  for (const { service, file, error, message } of failed) {
    output.note(`${[service ?? "the inbox", file].filter((part) => part !== null).join("/")}: ${error}: ${message}`);
  }
  return failed.length === 0 ? EXIT.ok : EXIT.refused;
}
