// The JavaScript modules whose answers seatkit has to give, from beside the project.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => new URL(`../../../shared/${path}`, import.meta.url);
const LAUNCH = at("sdk/lib/session/launch-args.mjs");
const IDENTITY = at("sdk/lib/session/identity.mjs");
const TMUX = at("entwurf/resolve-tmux-session.ts");
const INBOX = at("baseline/inbox-claims.mjs");

export const haveReferences = [LAUNCH, IDENTITY, TMUX].every((url) => existsSync(url));
export const haveBaseline = existsSync(INBOX);

/** The pure exports of both references by name. */
export async function loadReferences() {
  const { default: ts } = await import("typescript");
  const { outputText } = ts.transpileModule(readFileSync(fileURLToPath(TMUX), "utf8"), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext },
  });
  const { default: _, ...launch } = await import(LAUNCH.href);
  return {
    ...launch,
    ...(await import(IDENTITY.href)),
    ...(await import(`data:text/javascript,${encodeURIComponent(outputText)}`)),
  };
}

/** The plain JavaScript inbox. */
export const loadBaseline = () => import(INBOX.href);

const GONE = /\(Remote or dead\)|\(Removed\)/;

/**
 * The references with the deviations that are on purpose: a session that screen reports as
 * `(Remote or dead)` or `(Removed)` is not live.
 */
export function withDeviations(references) {
  return {
    ...references,
    parseScreenList(out, ...rest) {
      const shown =
        typeof out === "string"
          ? out
              .split("\n")
              .map((line) => (GONE.test(line) ? "" : line))
              .join("\n")
          : out;
      return references.parseScreenList(shown, ...rest);
    },
  };
}
