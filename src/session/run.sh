# Runs the agent and records how it ended. What stands before these lines sets the names they use.
# A HUP is not caught: a shell that lives on after the terminal is gone would keep the agent from its own.
trap : INT QUIT TERM
# The inner shell names itself and this one before it becomes the agent: its id and its start stay the same.
/bin/sh -c 'file=$2
printf "%s\n" "$$" "$PPID" "$TMUX" "$TMUX_PANE" "$STY" "$1" >"$file" || exit 126
shift 2
exec "$@"' "$label" "$label" "$pid_file" "$@"
code=$?
trap "" HUP INT QUIT TERM
PATH=$seatkit_path
printf "%s\n" "$code" "$run" >"$exit_new" && mv -f "$exit_new" "$exit_file"
exit "$code"
