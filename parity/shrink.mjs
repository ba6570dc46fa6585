// Makes a failing call as small as it stays failing.

/** Every call that is one step simpler than this one. */
function* simpler(node) {
  if (Array.isArray(node)) {
    for (let i = 0; i < node.length; i++) yield node.toSpliced ? node.toSpliced(i, 1) : [...node.slice(0, i), ...node.slice(i + 1)];
    for (let i = 0; i < node.length; i++) {
      for (const item of simpler(node[i])) yield node.map((old, j) => (j === i ? item : old));
    }
    return;
  }
  if (typeof node === "string") {
    for (let size = node.length >> 1; size > 0; size >>= 1) {
      for (let at = 0; at < node.length; at += size) yield node.slice(0, at) + node.slice(at + size);
    }
    return;
  }
  if (node === null || typeof node !== "object") return;
  if (node.k && node.k !== "undefined") {
    yield { k: "undefined" };
    for (const inner of [node.of, ...(node.items ?? []), ...(node.props ?? []).map(([, prop]) => prop), ...(node.out ?? []).map((o) => o.ret ?? o.thr)]) {
      if (inner?.k && inner.k !== "get" && inner.k !== "hole") yield inner;
    }
  }
  for (const [name, inner] of Object.entries(node)) {
    if (name === "k" || name === "name" || (name === "v" && node.k !== "str")) continue;
    if (name === "out") {
      if (inner.length > 1) for (let i = 0; i < inner.length; i++) yield { ...node, out: inner.filter((_, j) => j !== i) };
      for (let i = 0; i < inner.length; i++) for (const item of simpler(inner[i])) yield { ...node, out: inner.map((old, j) => (j === i ? item : old)) };
    } else {
      for (const item of simpler(inner)) yield { ...node, [name]: item };
    }
  }
  for (const name of ["proto", "sub", "fail", "result", "next"]) {
    if (name in node) {
      const { [name]: _, ...rest } = node;
      yield rest;
    }
  }
}

/** The smallest call found for which `fails` still holds, in a bounded number of tries. */
export function shrink(call, fails, tries = 5000) {
  let best = call;
  for (let again = true; again && tries > 0;) {
    again = false;
    for (const candidate of simpler(best)) {
      if (tries-- <= 0) break;
      let failing;
      try {
        failing = fails(candidate);
      } catch {
        continue; // no longer a recipe
      }
      if (failing) {
        best = candidate;
        again = true;
        break;
      }
    }
  }
  return best;
}
