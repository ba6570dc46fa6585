//! Where tmux and screen are looked for, beyond the fixed paths of Homebrew and the system.

use crate::launch::{MUX_CANDIDATES, MuxCandidates};

/// What [`mux_candidates`] reads of the environment; each part is optional.
#[derive(Clone, Copy, Debug, Default)]
pub struct CandidateEnv<'a> {
    /// `HOME`, for profiles that a user installed for themselves.
    pub home: Option<&'a str>,
    /// `USER`, for the per-user profiles of NixOS and nix-darwin.
    pub user: Option<&'a str>,
    /// `PATH`, tried last.
    pub path: Option<&'a str>,
}

/// Where tmux and screen may be on `platform` (`process.platform`'s words: `darwin`, `linux`, ...).
///
/// First the fixed paths of [`MUX_CANDIDATES`], in its order; then what package managers use:
/// `MacPorts`, Linuxbrew, Nix (system, user and per-user profiles) and snap; then each absolute
/// folder of `PATH`. A daemon under launchd or systemd has a short `PATH` and finds them by the
/// fixed ones; nothing that a `PATH` names can come before those.
///
/// ```
/// use seatkit::mux::{CandidateEnv, mux_candidates};
///
/// let env = CandidateEnv { path: Some("/usr/bin:/srv/tools"), ..CandidateEnv::default() };
/// let found = mux_candidates("darwin", &env);
/// assert_eq!(found.tmux.first().unwrap(), "/opt/homebrew/bin/tmux");
/// assert!(found.tmux.contains(&"/opt/local/bin/tmux".to_owned()));
/// assert_eq!(found.tmux.last().unwrap(), "/srv/tools/tmux");
/// ```
#[must_use]
pub fn mux_candidates(platform: &str, env: &CandidateEnv<'_>) -> MuxCandidates {
    let further = further_folders(platform, env);
    let list = |program: &str, fixed: [&str; 3]| {
        let mut paths: Vec<String> = fixed.map(str::to_owned).into();
        for folder in &further {
            let path = format!("{folder}/{program}");
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    };
    MuxCandidates {
        tmux: list("tmux", MUX_CANDIDATES.tmux),
        screen: list("screen", MUX_CANDIDATES.screen),
    }
}

fn further_folders(platform: &str, env: &CandidateEnv<'_>) -> Vec<String> {
    let home = env.home.filter(|home| home.starts_with('/'));
    let in_home =
        |folder: &str| home.map(|home| format!("{}/{folder}", home.trim_end_matches('/')));
    let user = env.user.filter(|user| !user.is_empty() && !user.contains('/') && *user != "..");

    let mut folders = Vec::new();
    if platform == "darwin" {
        folders.push("/opt/local/bin".to_owned());
    }
    if platform == "linux" {
        folders.push("/home/linuxbrew/.linuxbrew/bin".to_owned());
        folders.extend(in_home(".linuxbrew/bin"));
    }
    folders.extend(in_home(".nix-profile/bin"));
    folders.extend(in_home(".local/state/nix/profile/bin"));
    folders.extend(user.map(|user| format!("/etc/profiles/per-user/{user}/bin")));
    folders.push("/run/current-system/sw/bin".to_owned());
    folders.push("/nix/var/nix/profiles/default/bin".to_owned());
    if platform == "linux" {
        folders.push("/snap/bin".to_owned());
    }
    let path = env.path.unwrap_or_default();
    // A relative entry would find another program in each folder the caller stands in.
    let absolute = path.split(':').filter(|entry| entry.starts_with('/'));
    folders.extend(absolute.map(|entry| entry.trim_end_matches('/').to_owned()));
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENV: CandidateEnv<'_> = CandidateEnv {
        home: Some("/home/o"),
        user: Some("o"),
        path: Some("/usr/bin:relative::/srv/tools/:/snap/bin:/"),
    };

    #[test]
    fn the_fixed_paths_come_first_and_path_last() {
        for platform in ["darwin", "linux", "freebsd"] {
            let found = mux_candidates(platform, &ENV);
            assert_eq!(
                found.tmux[..3],
                ["/opt/homebrew/bin/tmux", "/usr/local/bin/tmux", "/usr/bin/tmux"],
            );
            assert_eq!(
                found.screen[..3],
                ["/usr/bin/screen", "/opt/homebrew/bin/screen", "/usr/local/bin/screen"],
            );
            assert_eq!(found.tmux[found.tmux.len() - 1], "/tmux");
            assert!(found.tmux.iter().all(|path| path.starts_with('/')));
        }
    }

    #[test]
    fn each_package_manager_is_known_on_its_platform() {
        let has =
            |platform, path: &str| mux_candidates(platform, &ENV).tmux.contains(&path.to_owned());
        assert!(has("darwin", "/opt/local/bin/tmux"));
        assert!(!has("linux", "/opt/local/bin/tmux"));
        for path in
            ["/home/linuxbrew/.linuxbrew/bin/tmux", "/home/o/.linuxbrew/bin/tmux", "/snap/bin/tmux"]
        {
            assert!(has("linux", path), "{path}");
        }
        for platform in ["darwin", "linux"] {
            for path in [
                "/home/o/.nix-profile/bin/tmux",
                "/etc/profiles/per-user/o/bin/tmux",
                "/run/current-system/sw/bin/tmux",
                "/nix/var/nix/profiles/default/bin/tmux",
                "/srv/tools/tmux",
            ] {
                assert!(has(platform, path), "{platform} {path}");
            }
        }
    }

    #[test]
    fn no_path_comes_twice() {
        let mut paths = mux_candidates("linux", &ENV).tmux;
        let count = paths.len();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), count);
    }

    #[test]
    fn a_bare_environment_still_gives_the_fixed_ones() {
        let odd = CandidateEnv { home: Some("relative"), user: Some("../x"), path: None };
        for env in [CandidateEnv::default(), odd] {
            let found = mux_candidates("linux", &env);
            assert!(found.tmux.contains(&"/snap/bin/tmux".to_owned()));
            assert!(!found.tmux.iter().any(|path| path.contains("per-user")));
        }
    }
}
