//! The launch preconditions of `seatkit/mux-placement`.

use napi::bindgen_prelude::Env;
use napi_derive::napi;

use super::js::{Js, Thrown, Value};
use super::mux::{borrowed, refuse, refuse_command, string_array};
use super::mux_placement::session_id;
use super::read;
use crate::launch::{
    FreshWindow, FreshWindowError, LaunchPreconditionError, assert_launch_target as check_target,
    build_fresh_window_args as fresh_window_args, classify_tmux_cwd as classify_cwd,
    resolve_runtime_on_path as resolve_runtime,
};

/// What is wrong with a folder that a window is to start in, or `null`: `cwd-not-absolute`,
/// `cwd-format-token` (it holds a `#`, which tmux would expand), `cwd-missing` or
/// `cwd-not-directory` (tmux would start in the home folder and exit with 0).
///
/// ```js
/// classifyTmuxCwd("/"); // null
/// classifyTmuxCwd("/x/C#Projects"); // "cwd-format-token"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "cwd: string",
    ts_return_type = "TmuxCwdRejectReason | null"
)]
pub(super) fn classify_tmux_cwd<'js>(env: &'js Env, cwd: Value<'js>) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    match classify_cwd(&read::string(js, cwd, "cwd")?) {
        Some(reason) => Ok(js.string(reason.as_str())?),
        None => Ok(js.null()?),
    }
}

/// Passes the absolute path, without white space, of a regular file that may be executed; throws a
/// `LaunchPreconditionError` with a `reason` for anything else. It has to be known before: tmux
/// exits with 0 for a program that cannot start.
///
/// ```js
/// assertLaunchTarget("/bin/sh");
/// assertLaunchTarget("bin/sh"); // throws, reason "runtime-not-absolute"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "runtimePath: string",
    ts_return_type = "void"
)]
pub(super) fn assert_launch_target<'js>(
    env: &'js Env,
    runtime: Value<'js>,
    precondition: Value<'js>,
) -> napi::Result<()> {
    let js = Js::new(env);
    let runtime = read::string(js, runtime, "runtimePath")?;
    check_target(&runtime).map_err(|error| refuse_launch(js, precondition, &error).into())
}

/// The absolute path of a program, as the absolute folders of `env.PATH` (`process.env` where there
/// is none) have it. A file that may not be executed is passed over; the first that may be is the
/// answer or, where it cannot be launched otherwise, the refusal.
///
/// Throws a `LaunchPreconditionError`, with the reason `runtime-unresolved` where there is none.
///
/// ```js
/// resolveRuntimeOnPath("claude"); // "/usr/local/bin/claude" for example
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "command: string, env?: Record<string, string | undefined> | null",
    ts_return_type = "string"
)]
pub(super) fn resolve_runtime_on_path<'js>(
    env: &'js Env,
    command: Value<'js>,
    variables: Value<'js>,
    process_env: Value<'js>,
    precondition: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let command = read::string(js, command, "command")?;
    let variables = read::options(js, variables, "env")?.unwrap_or(process_env);
    let path = read::variable(js, variables, c"PATH")?;
    match resolve_runtime(&command, path.as_deref()) {
        Ok(found) => Ok(js.string(&found)?),
        Err(error) => Err(refuse_launch(js, precondition, &error).into()),
    }
}

fn refuse_launch<'js>(
    js: Js<'js>,
    precondition: Value<'js>,
    error: &LaunchPreconditionError,
) -> Thrown {
    let text = error.to_string();
    refuse(js, precondition, &text, error.reason.as_str(), None)
}

/// The arguments that open a window at the end of a session and run a program in it, without a
/// shell and without moving anybody's focus; tmux prints the handle that `parseWindowFields` reads.
///
/// The target is a native session id and nothing else. `cwd` is where the window starts; without it
/// that is the folder of the process that runs tmux, not the session's. `scrubEnv` names variables
/// that the program must not inherit.
///
/// Throws a `LaunchPreconditionError` for a program that cannot be launched, a `MuxCommandError`
/// for a folder, a NUL, a variable's name or a size that cannot be, and an `Error` for another
/// target.
///
/// ```js
/// runTmux(buildFreshWindowArgs("$3", resolveRuntimeOnPath("claude"), ["--", "hello;"], {
///   cwd: "/agent",
///   scrubEnv: ["CLAUDECODE"],
/// }));
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "targetSessionId: string, runtimePath: string, args: readonly string[], options?: FreshWindowOptions | null",
    ts_return_type = "string[]"
)]
pub(super) fn build_fresh_window_args<'js>(
    env: &'js Env,
    target: Value<'js>,
    runtime: Value<'js>,
    args: Value<'js>,
    options: Value<'js>,
    precondition: Value<'js>,
    refusal: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let target = session_id(js, target)?;
    let runtime = read::string(js, runtime, "runtimePath")?;
    let args = read::strings(js, args, "args")?;
    let (mut cwd, mut scrub_env) = (None, Vec::new());
    if let Some(options) = read::options(js, options, "options")? {
        cwd = read::optional_string(js, js.get(options, c"cwd")?, "options.cwd")?;
        let names = js.get(options, c"scrubEnv")?;
        scrub_env = read::optional_strings(js, names, "options.scrubEnv")?;
    }
    let window = FreshWindow {
        cwd: cwd.as_deref(),
        scrub_env: &borrowed(&scrub_env),
    };
    match fresh_window_args(&target, &runtime, &borrowed(&args), &window) {
        Ok(command) => Ok(string_array(js, &command)?),
        Err(FreshWindowError::Runtime(error)) => {
            Err(refuse_launch(js, precondition, &error).into())
        }
        Err(FreshWindowError::Command(error)) => Err(refuse_command(js, refusal, &error).into()),
    }
}
