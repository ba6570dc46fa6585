// The JavaScript to measure against: the references beside the project, or else our own.

import { haveBaseline, haveReferences, loadBaseline, loadReferences } from "../../__test__/parity/references.mjs";

export async function loadJavaScript() {
  const own = (name) => import(`./baseline/${name}.mjs`);
  return {
    inbox: await (haveBaseline ? loadBaseline() : own("inbox-claims")),
    launch: haveReferences ? await loadReferences() : { ...(await own("launch-args")), ...(await own("resolve-tmux-session")) },
    from: haveBaseline && haveReferences ? "the references beside the project" : "benches/js/baseline",
  };
}
