use super::*;
use crate::launch::Mux;
use crate::mux::{TMUX_MESSAGE_LIMIT, packed_size};

const TMUX: Launch<'static> = Launch {
    mux: Mux { kind: MuxKind::Tmux, bin: "/bin/mux" },
    mux_name: "maestro-olivia",
    cwd: "/",
    claude_bin: "claude",
    claude_args: &["--name", "x", "prompt"],
    exit_file: "/last-exit",
};
const SCREEN: Launch<'static> = Launch { mux: Mux { kind: MuxKind::Screen, ..TMUX.mux }, ..TMUX };

fn build(launch: &Launch<'_>) -> Result<SafeMuxCommands, MuxCommandError> {
    build_safe_mux_commands(launch, &SafeOptions::default())
}

fn build_prompted(launch: &Launch<'_>) -> Result<SafeMuxCommands, MuxCommandError> {
    let options = SafeOptions { prompt: Prompt::Last, ..SafeOptions::default() };
    build_safe_mux_commands(launch, &options)
}

fn refusal(launch: &Launch<'_>, options: &SafeOptions<'_>) -> &'static str {
    build_safe_mux_commands(launch, options).map_or_else(|error| error.code(), |_| "none")
}

#[test]
fn tmux_is_addressed_exactly_and_every_argument_is_escaped() {
    let launch = Launch {
        cwd: "/tmp",
        claude_args: &["--append-system-prompt", "be brief;", "a;b;"],
        exit_file: "/last-exit;",
        ..TMUX
    };
    let commands = build_prompted(&launch).unwrap();
    let start: Vec<&str> = commands.start.args.iter().map(String::as_str).collect();
    assert_eq!(
        start,
        [
            "new-session",
            "-d",
            "-s",
            "maestro-olivia",
            "-c",
            "/tmp",
            "/bin/sh",
            "-c",
            SESSION_EXIT_SCRIPT,
            "maestro-session",
            r"/last-exit\;",
            "claude",
            "--append-system-prompt",
            r"be brief\;",
            "--",
            r"a;b\;",
        ]
    );
    assert!(!commands.blocking);
    assert_eq!(commands.start.cwd, None);
    let probe = commands.wait_probe.unwrap();
    assert_eq!(probe, commands.exists);
    assert_eq!(probe.args[..4], ["has-session", "-t", "=maestro-olivia:", ";"]);
    assert_eq!(commands.stop.unwrap().args, ["kill-session", "-t", "=maestro-olivia:"]);
    assert_eq!(commands.wipe.args[..4], ["if-shell", "-F", "-t", "=maestro-olivia:"]);
}

#[test]
fn screen_gets_its_folder_and_its_directory_by_the_spawn() {
    let options = SafeOptions {
        socket: Some("/run/seat"),
        config: Some("/dev/null"),
        utf8: true,
        prompt: Prompt::Last,
        ..SafeOptions::default()
    };
    let launch = Launch { claude_args: &["fix;"], ..SCREEN };
    let commands = build_safe_mux_commands(&launch, &options).unwrap();
    let env = vec![("SCREENDIR".to_owned(), "/run/seat".to_owned())];
    assert!(commands.blocking);
    assert_eq!(commands.start.cwd.as_deref(), Some("/"));
    assert_eq!(
        commands.start.args[..7],
        ["-c", "/dev/null", "-U", "-D", "-m", "-S", "maestro-olivia"]
    );
    assert_eq!(commands.start.args[commands.start.args.len() - 2..], ["--", "fix;"]);
    assert_eq!((commands.wait_probe, commands.stop), (None, None));
    assert_eq!(commands.exists.args, ["-ls"]);
    assert_eq!(commands.wipe.args, ["-wipe", "maestro-olivia"]);
    for command in [commands.start, commands.exists, commands.wipe] {
        assert_eq!(command.env, env);
    }
}

#[test]
fn every_tmux_command_goes_to_the_same_server() {
    let options = SafeOptions {
        socket: Some("seat"),
        config: Some("/dev/null"),
        utf8: true,
        ..SafeOptions::default()
    };
    let commands = build_safe_mux_commands(&TMUX, &options).unwrap();
    let SafeMuxCommands { start, wait_probe, exists, wipe, stop, .. } = commands;
    for command in [Some(start), wait_probe, Some(exists), Some(wipe), stop] {
        let command = command.unwrap();
        assert_eq!(command.args[..5], ["-L", "seat", "-f", "/dev/null", "-u"]);
        assert_eq!((command.file.as_str(), command.cwd), ("/bin/mux", None));
    }
}

#[test]
fn the_prompt_is_told_and_terminated_once_where_it_is_wanted() {
    let tail = |args: &'static [&'static str], prompt, terminator: bool| {
        let launch = Launch { claude_args: args, ..SCREEN };
        let options = SafeOptions { prompt, terminator, ..SafeOptions::default() };
        let args = build_safe_mux_commands(&launch, &options)?.start.args;
        let start = args.iter().position(|arg| arg == "claude").unwrap() + 1;
        Ok::<_, MuxCommandError>(args[start..].join(" "))
    };
    for (args, prompt, terminator, expected) in [
        (&["--resume", "ID"][..], Prompt::None, true, "--resume ID"),
        (&[], Prompt::None, true, ""),
        (&["--allowedTools", "Read", "go"], Prompt::Last, true, "--allowedTools Read -- go"),
        (&["-x"], Prompt::Last, true, "-- -x"),
        (&["--", "go"], Prompt::Last, true, "-- go"),
        (&["--"], Prompt::Last, true, "-- --"),
        (&["a", "go"], Prompt::Last, false, "a go"),
        (&["--resume", "ID"], Prompt::Text("-x"), true, "--resume ID -- -x"),
        (&[], Prompt::Text("go"), false, "go"),
        (&[], Prompt::Text(""), true, "-- "),
    ] {
        assert_eq!(tail(args, prompt, terminator).unwrap(), expected, "{args:?} {prompt:?}");
    }
    assert_eq!(tail(&[], Prompt::Last, true).unwrap_err().code(), "prompt-missing");
    assert_eq!(tail(&[], Prompt::Text("\0"), true).unwrap_err().code(), "nul");
}

#[test]
fn a_size_is_tmuxs_alone() {
    let with = |launch: &Launch<'_>, columns, rows| {
        let options = SafeOptions { size: Some(Size { columns, rows }), ..SafeOptions::default() };
        build_safe_mux_commands(launch, &options)
    };
    let start = with(&TMUX, 200, 50).unwrap().start.args;
    assert_eq!(start[4..10], ["-c", "/", "-x", "200", "-y", "50"]);
    assert_eq!(with(&SCREEN, 200, 50).unwrap_err().code(), "size-unsupported");
    for (columns, rows) in [(0, 24), (80, 0), (65_536, 24)] {
        assert_eq!(with(&TMUX, columns, rows).unwrap_err().code(), "size-invalid");
    }
    assert!(with(&TMUX, 65_535, 1).is_ok());
}

#[test]
fn more_words_than_apples_screen_has_room_for_are_refused() {
    assert_eq!(check_words(64), Ok(()));
    let error = check_words(65).unwrap_err();
    assert_eq!((error.code(), error.sizes()), ("too-many-words", Some((65, 64))));
    let many = vec!["x"; 100];
    let launch = Launch { claude_args: &many, ..SCREEN };
    assert_eq!(build(&launch).is_err(), cfg!(target_os = "macos"));
}

#[test]
fn a_format_in_the_folder_is_escaped_for_tmux_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("C#(x)#[y");
    std::fs::create_dir(&folder).unwrap();
    let cwd = folder.to_str().unwrap();
    let tmux = build(&Launch { cwd, ..TMUX }).unwrap();
    assert_eq!(tmux.start.args[5], cwd.replace("C#", "C##"));
    let screen = build(&Launch { cwd, ..SCREEN }).unwrap();
    assert_eq!(screen.start.cwd.as_deref(), Some(cwd));
}

#[test]
fn variables_are_set_and_taken_out_in_the_child() {
    let options = SafeOptions {
        scrub_env: &["CLAUDECODE"],
        env: &[("KEY", Some("#(x);")), ("OLD", None)],
        ..SafeOptions::default()
    };
    let start = build_safe_mux_commands(&TMUX, &options).unwrap().start.args;
    assert_eq!(
        start[6..13],
        ["/usr/bin/env", "-u", "CLAUDECODE", "-u", "OLD", r"KEY=#(x)\;", "/bin/sh"]
    );
    let start = build_safe_mux_commands(&SCREEN, &options).unwrap().start.args;
    assert!(start.contains(&"KEY=#(x);".to_owned()));
}

#[test]
fn a_name_that_would_mean_something_else_is_refused() {
    let none = SafeOptions::default();
    for name in ["", "a.b", "a:b", "a b", "-a", "=a", "$0", "a;", "q#(id)q", "é", "a\n", "_a"] {
        for launch in [TMUX, SCREEN] {
            let launch = Launch { mux_name: name, ..launch };
            assert_eq!(refusal(&launch, &none), "name-invalid", "{name:?}");
        }
    }
    for name in ["client-497", "ttys001", "tty1", "ttyUSB0", "console", "hvc0", "xvc0"] {
        assert_eq!(refusal(&Launch { mux_name: name, ..TMUX }, &none), "name-reserved");
        assert_eq!(refusal(&Launch { mux_name: name, ..SCREEN }, &none), "none");
    }
    for name in
        ["client-a", "client-", "tty", "ttyd", "client", "a-client-1", "null", "hvc", "consoles"]
    {
        assert_eq!(refusal(&Launch { mux_name: name, ..TMUX }, &none), "none", "{name}");
    }
}

#[test]
fn a_name_that_screen_would_cut_off_is_refused() {
    let none = SafeOptions::default();
    let (fits, over) = ("n".repeat(80), "n".repeat(81));
    assert_eq!(refusal(&Launch { mux_name: &fits, ..SCREEN }, &none), "none");
    assert_eq!(refusal(&Launch { mux_name: &over, ..TMUX }, &none), "none");
    let error = build(&Launch { mux_name: &over, ..SCREEN }).unwrap_err();
    assert_eq!((error.code(), error.sizes()), ("name-too-long", Some((81, 80))));
    let folder = format!("/{}", "d".repeat(SOCKET_PATH_LIMIT - 20));
    let options = SafeOptions { socket: Some(&folder), ..none };
    let error = build_safe_mux_commands(&SCREEN, &options).unwrap_err();
    assert_eq!(error.sizes(), Some(("maestro-olivia".len(), 20 - 1 - 1 - PID_AND_DOT)));
}

#[test]
fn what_would_fail_in_silence_is_refused() {
    let none = SafeOptions::default();
    for (cwd, code) in [
        ("", "cwd-not-absolute"),
        ("here", "cwd-not-absolute"),
        ("~", "cwd-not-absolute"),
        ("/nope/nowhere", "cwd-missing"),
        ("/nope/#(touch x)", "cwd-missing"),
        ("/dev/null", "cwd-not-directory"),
    ] {
        for launch in [TMUX, SCREEN] {
            assert_eq!(refusal(&Launch { cwd, ..launch }, &none), code, "{cwd:?}");
        }
    }
    for exit_file in ["last-exit", "/nope/nowhere/last-exit", "/dev", "/dev/null"] {
        for launch in [TMUX, SCREEN] {
            assert_eq!(
                refusal(&Launch { exit_file, ..launch }, &none),
                "path-invalid",
                "{exit_file}"
            );
        }
    }
    for config in ["tmux.conf", "/nope/tmux.conf", "/dev"] {
        let options = SafeOptions { config: Some(config), ..none };
        for launch in [TMUX, SCREEN] {
            assert_eq!(refusal(&launch, &options), "path-invalid", "{config}");
        }
    }
}

#[test]
fn a_nul_is_refused_wherever_it_is() {
    let none = SafeOptions::default();
    let nul = "a\0b";
    for launch in [
        Launch { mux_name: nul, ..TMUX },
        Launch { cwd: "/\0", ..TMUX },
        Launch { claude_bin: nul, ..TMUX },
        Launch { exit_file: nul, ..TMUX },
        Launch { claude_args: &["a", "\0"], ..TMUX },
        Launch { mux: Mux { bin: nul, ..TMUX.mux }, ..TMUX },
    ] {
        assert_eq!(refusal(&launch, &none), "nul");
    }
    for options in
        [SafeOptions { socket: Some(nul), ..none }, SafeOptions { config: Some("/\0"), ..none }]
    {
        assert_eq!(refusal(&TMUX, &options), "nul");
    }
    let error = build(&Launch { claude_args: &["a", "\0"], ..TMUX }).unwrap_err();
    assert_eq!(error.to_string(), "claudeArgs[1] must not contain a NUL");
}

#[test]
fn paths_and_programs_that_depend_on_the_place_are_refused() {
    let none = SafeOptions::default();
    let socket = |socket| SafeOptions { socket: Some(socket), ..none };
    for name in ["", ".", "..", "./s", "a/s"] {
        assert_eq!(refusal(&TMUX, &socket(name)), "path-invalid", "{name:?}");
    }
    for name in ["seat", "/run/s", "a.b"] {
        assert_eq!(refusal(&TMUX, &socket(name)), "none", "{name:?}");
    }
    assert_eq!(refusal(&SCREEN, &socket("seat")), "path-invalid");
    for (program, code) in [("", "empty"), ("exec", "program-builtin"), ("./exec", "none")] {
        let launch = Launch { claude_bin: program, ..TMUX };
        assert_eq!(refusal(&launch, &none), code);
    }
    assert_eq!(refusal(&Launch { exit_file: "", ..TMUX }, &none), "empty");
    let scrub = SafeOptions { scrub_env: &["A=B"], ..none };
    assert_eq!(refusal(&TMUX, &scrub), "env-name-invalid");
}

#[test]
fn a_message_is_refused_by_its_bytes_after_escaping_and_for_tmux_alone() {
    let bare = build_prompted(&Launch { claude_args: &[""], ..TMUX }).unwrap();
    let room = TMUX_MESSAGE_LIMIT - packed_size(&bare.start.args);
    let with_prompt =
        |prompt: &str, launch| build_prompted(&Launch { claude_args: &[prompt], ..launch });
    let longest = "é".repeat(room / 2) + &"x".repeat(room % 2);
    let start = with_prompt(&longest, TMUX).unwrap().start;
    assert_eq!(packed_size(&start.args), TMUX_MESSAGE_LIMIT);
    let error = with_prompt(&(longest.clone() + "x"), TMUX).unwrap_err();
    assert_eq!(error.sizes(), Some((TMUX_MESSAGE_LIMIT + 1, TMUX_MESSAGE_LIMIT)));
    let escaped = "x".repeat(room - 1) + ";";
    assert_eq!(with_prompt(&escaped, TMUX).unwrap_err().code(), "message-too-long");
    assert!(with_prompt(&"x".repeat(100_000), SCREEN).is_ok());
}
