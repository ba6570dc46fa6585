# Runs the agent and records how it ended. What stands before these lines sets the names they use.
# A HUP is not caught: a shell that lives on after the terminal is gone would keep the agent from its own.
trap : INT QUIT TERM
# The inner shell names itself and this one before it becomes the agent: its id and its start stay the same. It
# sets no variable, for any may be the agent's.
/bin/sh -c 'printf "%s\n" "$$" "$PPID" "$2" "$3" "$4" "$0" >"$1" || exit 126
shift 4
exec "$@"' "$seatkit_label" "$seatkit_pid_file" "$seatkit_tmux" "$seatkit_pane" "$seatkit_screen" "$@"
seatkit_code=$?
trap "" HUP INT QUIT TERM
PATH=$seatkit_path
printf "%s\n" "$seatkit_code" "$seatkit_run" >"$seatkit_exit_new" && mv -f "$seatkit_exit_new" "$seatkit_exit_file"
exit "$seatkit_code"
