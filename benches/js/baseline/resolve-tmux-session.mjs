// Looking up a tmux session in plain JavaScript: what to measure against where no other is at hand.

export const classifyTmuxSessionName = (name) => (/^[A-Za-z0-9][\w-]*$/.test(name) ? null : "tmux-session-name-invalid");

export function buildTmuxSessionLookupArgs(name) {
  if (classifyTmuxSessionName(name)) throw new Error(`no name to look up: ${name}`);
  return ["list-windows", "-t", `=${name}`, "-F", "#{session_id}"];
}

export function resolveTmuxSessionId(name, run) {
  const reason = classifyTmuxSessionName(name);
  if (reason) return { ok: false, reason };
  const { status, stdout } = run(buildTmuxSessionLookupArgs(name));
  if (status !== 0) return { ok: false, reason: "tmux-session-missing" };
  const [sessionId, ...others] = new Set(stdout.trim().split("\n"));
  if (others.length > 0 || !/^\$\d+$/.test(sessionId)) throw new Error(`no session id: ${stdout}`);
  return { ok: true, sessionId };
}
