// The launch commands in plain JavaScript: what to measure against where no other is at hand.

const TMUX = ["/opt/homebrew/bin/tmux", "/usr/local/bin/tmux", "/usr/bin/tmux"];
const SCREEN = ["/usr/bin/screen", "/opt/homebrew/bin/screen", "/usr/local/bin/screen"];
const PROMPT = "Load the skill of the main session and follow it.";
const SCRIPT = 'file="$1"; shift; "$@"; code=$?; echo "$code" > "$file"; exit "$code"';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const mainSessionName = (first) => `${first}-main`;

export function buildClaudeArgs({ first, sessionId, mode, permissionArgs, extraArgs, prompt }) {
  if (!UUID.test(sessionId)) throw new Error(`not a uuid: ${sessionId}`);
  if (mode !== "resume" && mode !== "session-id") throw new Error(`no such mode: ${mode}`);
  return ["--name", mainSessionName(first), `--${mode}`, sessionId, ...(permissionArgs ?? []), ...(extraArgs ?? []), prompt || PROMPT];
}

export function detectMux({ existsSync }) {
  const first = (paths) => paths.find((path) => existsSync(path)) ?? null;
  return { tmux: first(TMUX), screen: first(SCREEN) };
}

export function chooseMux(preference, found) {
  const kinds = preference === "screen" ? ["screen", "tmux"] : ["tmux", "screen"];
  const kind = kinds.find((each) => found[each]);
  return kind ? { kind, bin: found[kind] } : null;
}

export function buildMuxCommands({ mux: { kind, bin: file }, muxName, cwd, claudeBin, claudeArgs, exitFile }) {
  const command = (...args) => ({ file, args });
  const claude = ["/bin/sh", "-c", SCRIPT, "session", exitFile, claudeBin, ...claudeArgs];
  if (kind === "screen") {
    return {
      blocking: true,
      start: command("-D", "-m", "-S", muxName, ...claude),
      waitProbe: null,
      exists: command("-ls"),
      wipe: command("-wipe"),
      stop: command("-S", muxName, "-X", "quit"),
    };
  }
  const exists = command("has-session", "-t", `=${muxName}`);
  return {
    blocking: false,
    start: command("new-session", "-d", "-s", muxName, "-c", cwd, ...claude),
    waitProbe: exists,
    exists,
    wipe: null,
    stop: command("kill-session", "-t", `=${muxName}`),
  };
}

export function parseScreenList(out, name) {
  if (typeof out !== "string") return false;
  const row = new RegExp(`^\\s*\\d+\\.${name.replace(/[^\w-]/g, "\\$&")}(?:\\s|$)`);
  return out.split(/\r?\n/).some((line) => row.test(line) && !line.includes("(Dead"));
}

export function parseExitFile(text) {
  const code = typeof text === "string" && /^\s*(\d{1,3})\s*$/.exec(text);
  return code ? Number(code[1]) : null;
}
