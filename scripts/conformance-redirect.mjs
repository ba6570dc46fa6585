// Which imports of a suite are answered by seatkit.

/** The modules of an SDK's `lib/session` that have a seatkit entry of the same name. */
export const modulesToReplace = ["inbox-claims", "launch-args", "resolve-tmux-session"];

const moduleFile = new RegExp(`^(${modulesToReplace.join("|")})\\.(?:[cm]?[jt]s)$`);

/** The seatkit specifier that stands in for `url`, or `undefined` for every other file. */
export function replacement(url, folder) {
  if (!url.startsWith(folder)) return undefined;
  const name = moduleFile.exec(url.slice(folder.length))?.[1];
  return name && `seatkit/${name}`;
}

/** A resolve hook: `folder` is the URL of the suites' folder, `from` that of a file beside seatkit. */
export function redirect(specifier, context, nextResolve, { folder, from }) {
  if (/^\.{0,2}\//.test(specifier) && context.parentURL) {
    const stand = replacement(new URL(specifier, context.parentURL).href, folder);
    if (stand) return nextResolve(stand, { ...context, parentURL: from });
  }
  return nextResolve(specifier, context);
}

let data;
/** For `module.register`, which runs this file on a thread of its own. */
export function initialize(options) {
  data = options;
}
export function resolve(specifier, context, nextResolve) {
  return redirect(specifier, context, nextResolve, data);
}
