// `seatkit completion`: what a shell proposes at a press of Tab, from the table of commands itself.

import { command } from "./command.mjs";
import { usage } from "./failure.mjs";

// Each asks for the words at the press, so that no list of them grows old; where there are none, files are proposed.
const SCRIPTS = {
  bash: `_seatkit() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(seatkit completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _seatkit seatkit`,
  zsh: `#compdef seatkit
_seatkit() {
  local -a found
  found=("\${(@f)$(seatkit completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
if [[ "\${funcstack[1]}" == _seatkit ]]; then _seatkit "$@"; else compdef _seatkit seatkit; fi`,
  fish: `complete -c seatkit -a '(seatkit completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

/** What the last of `words`, which is not done yet, may become. */
function proposed(root, words) {
  const before = words.slice(0, -1);
  const begun = words.at(-1) ?? "";
  let found = root;
  for (const word of before) {
    const next = found.commands?.find(({ name }) => name === word);
    if (next) found = next;
    else if (found.commands) return [];
  }
  const names = found.commands ? found.commands.map(({ name }) => name) : [];
  // After `--` everything is another program's.
  const options = before.includes("--") ? [] : Object.keys(found.options ?? { help: true }).map((name) => `--${name}`);
  return [...names, ...(begun.startsWith("-") ? options : [])].filter((word) => word.startsWith(begun));
}

/** The command of a table of commands. */
export function completion(root) {
  return command({
    name: "completion",
    summary: "Print what makes a shell complete the commands and options of seatkit.",
    args: ["SHELL"],
    rest: "WORD",
    notes: ["SHELL is bash, zsh or fish. Put it into the file that your shell reads when it starts."],
    examples: ['eval "$(seatkit completion bash)"', "seatkit completion fish > ~/.config/fish/completions/seatkit.fish"],
    run({ args: { SHELL: shell, rest }, output }) {
      if (shell === "words") {
        const words = proposed(root, rest);
        return output.answer({ ok: true, words }, words);
      }
      if (!Object.hasOwn(SCRIPTS, shell)) throw usage(`there is completion for bash, zsh and fish, not for ${JSON.stringify(shell)}`);
      output.answer({ ok: true, script: SCRIPTS[shell] }, [SCRIPTS[shell]]);
    },
  });
}
