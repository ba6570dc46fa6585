use super::*;

const ROW: &str = "8150|$11|@14|2|%14|74235";

fn pane(id: &str) -> TmuxPaneId {
    id.parse().unwrap()
}

#[test]
fn both_variables_are_needed_and_the_pane_must_be_native() {
    use PlacementRejectReason::{AnchorMalformed, NoTmuxContext};
    let server = Some("/tmp/s,8150,11");
    assert_eq!(read_anchor(server, Some("%14")), Ok(pane("%14")));
    for (tmux, tmux_pane) in [
        (None, None),
        (None, Some("%14")),
        (Some(""), Some("%14")),
        (server, None),
        (server, Some("")),
    ] {
        assert_eq!(read_anchor(tmux, tmux_pane), Err(NoTmuxContext));
    }
    for odd in ["%1; kill-server", "%", "14", "@14", "%14 ", "#{pane_id}"] {
        assert_eq!(read_anchor(server, Some(odd)), Err(AnchorMalformed), "{odd}");
    }
}

#[test]
fn a_row_counts_only_if_it_echoes_the_pane_and_is_native_throughout() {
    use PlacementRejectReason::{AnchorMismatch, AnchorUnresolved};
    let placement = parse_placement("%14", &format!(" {ROW} \nmore\n")).unwrap();
    assert_eq!(placement.server_pid, "8150");
    assert_eq!(placement.session_id.as_str(), "$11");
    assert_eq!(placement.window_id.as_str(), "@14");
    assert_eq!(placement.window_index, "2");
    assert_eq!(placement.pane_id.as_str(), "%14");
    assert_eq!(placement.pane_pid, "74235");
    for other in ["%13", "14", "", "%14; kill-server"] {
        assert_eq!(parse_placement(other, ROW), Err(AnchorMismatch), "{other:?}");
    }
    for row in [
        "",
        "\n8150|$11|@14|2|%14|74235",
        "8150|||||",
        "8150|$11|@14",
        "8150|$11|@14|2|%14|74235|",
        "8150|nope|@14|2|%14|74235",
        "8150|$11|14|2|%14|74235",
        "x|$11|@14|2|%14|74235",
        "8150|$11|@14||%14|74235",
        "8150|$11|@14|2|%14|-1",
    ] {
        assert_eq!(parse_placement("%14", row), Err(AnchorUnresolved), "{row:?}");
    }
}

#[test]
fn the_formats_ask_for_the_fields_in_their_order() {
    let format = |fields: &[&str]| {
        let fields: Vec<String> = fields.iter().map(|field| format!("#{{{field}}}")).collect();
        fields.join("|")
    };
    assert_eq!(INSPECT_FORMAT, format(&PLACEMENT_FIELDS));
    assert_eq!(APPEND_FORMAT, format(&WINDOW_FIELDS));
}

#[test]
fn every_argument_list_targets_a_native_id() {
    assert_eq!(
        build_inspect_args(&pane("%1")),
        ["display-message", "-p", "-t", "%1", INSPECT_FORMAT]
    );
    assert_eq!(
        build_append_args(&"$11".parse().unwrap()),
        ["new-window", "-d", "-a", "-t", "$11:{end}", "-P", "-F", APPEND_FORMAT]
    );
    assert_eq!(build_close_args(&"@3".parse().unwrap()), ["kill-window", "-t", "@3"]);
    assert_eq!(build_list_window_ids_args(), ["list-windows", "-a", "-F", "#{window_id}"]);
}

#[test]
fn a_handle_is_read_or_nothing_is_claimed() {
    let fields = parse_window_fields("@2|3|%2|76957\n").unwrap();
    assert_eq!(fields.window_id.as_str(), "@2");
    assert_eq!((fields.window_index.as_str(), fields.pane_pid.as_str()), ("3", "76957"));
    for odd in ["", "\n@2|3|%2|1", "@2|3|%2", "@2|3|%2|1|"] {
        assert!(matches!(parse_window_fields(odd), Err(NoHandle::Missing { .. })), "{odd:?}");
    }
    for odd in ["2|3|%2|1", "@2|x|%2|1", "@2|3|@2|1", "@2|3|%2|"] {
        assert!(matches!(parse_window_fields(odd), Err(NoHandle::NotNative { .. })), "{odd:?}");
    }
}

#[test]
fn only_a_list_without_the_window_proves_that_it_is_gone() {
    assert_eq!(classify_close_failure("@3", "@0\n@30\n"), Some(CloseOutcome::AlreadyGone));
    assert_eq!(classify_close_failure("@3", ""), Some(CloseOutcome::AlreadyGone));
    assert_eq!(classify_close_failure("@3", "@0\n @3\r\n"), None);
    assert_eq!(
        classify_close_failure("", "@0\n\n"),
        Some(CloseOutcome::AlreadyGone),
        "a blank line lists nothing"
    );
}

#[test]
fn a_failed_run_is_never_read() {
    let run = |status, stderr: &str| TmuxRun {
        status,
        stdout: ROW.to_owned(),
        stderr: stderr.to_owned(),
    };
    assert_eq!(assert_tmux_ok("x", &run(Some(0), "a warning")), Ok(()));
    for (status, stderr, text) in [
        (
            Some(1),
            "no server running on /x\n",
            "tmux list failed (exit 1): no server running on /x",
        ),
        (Some(2), "", "tmux list failed (exit 2)"),
        (None, "", "tmux list failed (terminated by signal)"),
    ] {
        let error = assert_tmux_ok("list", &run(status, stderr)).unwrap_err();
        assert_eq!(error.to_string(), format!("mux-placement: {text}"));
    }
}

#[test]
fn an_old_tmux_says_a_missing_pane_by_its_status() {
    let run =
        |status, stderr: &str| TmuxRun { status, stdout: String::new(), stderr: stderr.to_owned() };
    assert!(says_no_pane(&run(Some(1), "can't find pane: %99\n")));
    assert!(says_no_pane(&run(Some(1), "can't find pane %99\n")));
    assert!(says_no_pane(&run(Some(1), "no current target\n")));
    assert!(!says_no_pane(&run(Some(0), "can't find pane: %99\n")));
    assert!(!says_no_pane(&run(None, "can't find pane: %99\n")));
    assert!(!says_no_pane(&run(Some(1), "no server running on /x\n")));
}

#[test]
fn a_server_is_its_process_and_its_start_as_far_as_both_know_it() {
    let server = |pid, start| Server { pid, start };
    let full = Some("100/7");
    for (start, other, same) in [
        (full, full, true),
        (full, None, true),
        (None, None, true),
        (full, Some("100"), true),
        (Some("100"), Some("100"), true),
        (full, Some("100/8"), false),
        (full, Some("101"), false),
        (Some("100"), Some("101/7"), false),
    ] {
        assert_eq!(
            is_same_server(server("4", start), server("4", other)),
            same,
            "{start:?} {other:?}"
        );
        assert_eq!(
            is_same_server(server("4", other), server("4", start)),
            same,
            "{start:?} {other:?}"
        );
        assert!(!is_same_server(server("4", start), server("5", other)));
        let context = |start, session| (server("4", start), session);
        assert_eq!(is_same_context(context(start, "$1"), context(other, "$1")), same);
        assert!(!is_same_context(context(start, "$1"), context(other, "$2")));
    }
}
