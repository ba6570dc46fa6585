//! Which multiplexer there is, and which one is taken.

use serde::{Deserialize, Serialize};

use crate::words::words;

words! {
    /// A terminal multiplexer.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum MuxKind {
        /// tmux.
        Tmux = "tmux",
        /// GNU screen.
        Screen = "screen",
    }
}

/// Absolute paths to try, in order, none twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MuxCandidates<Paths = Vec<String>> {
    /// Where tmux may be.
    pub tmux: Paths,
    /// Where screen may be.
    pub screen: Paths,
}

/// Where the multiplexers usually live, most preferred first. Fixed paths, so that a daemon with
/// a short `PATH` finds them too.
pub const MUX_CANDIDATES: MuxCandidates<[&str; 3]> = MuxCandidates {
    tmux: ["/opt/homebrew/bin/tmux", "/usr/local/bin/tmux", "/usr/bin/tmux"],
    screen: ["/usr/bin/screen", "/opt/homebrew/bin/screen", "/usr/local/bin/screen"],
};

/// Which multiplexers were found, each as the path of its binary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoundMux<'a> {
    /// tmux, if it is there.
    pub tmux: Option<&'a str>,
    /// screen, if it is there.
    pub screen: Option<&'a str>,
}

/// Which of the [`MUX_CANDIDATES`] exist: for tmux and then for screen, the first path that
/// `exists` affirms. Paths after it are not asked about.
///
/// ```
/// use seatkit::launch::detect_mux;
///
/// let found = detect_mux(|path| path.starts_with("/usr/bin/"));
/// assert_eq!(found.tmux, Some("/usr/bin/tmux"));
/// assert_eq!(found.screen, Some("/usr/bin/screen"));
/// ```
pub fn detect_mux(mut exists: impl FnMut(&str) -> bool) -> FoundMux<'static> {
    let mut first = |paths: [&'static str; 3]| paths.into_iter().find(|path| exists(path));
    FoundMux { tmux: first(MUX_CANDIDATES.tmux), screen: first(MUX_CANDIDATES.screen) }
}

words! {
    /// Which multiplexer a seat would rather have.
    #[derive(Default)]
    pub enum MuxPreference {
        /// Whatever is best, which is tmux.
        #[default]
        Auto = "auto",
        /// tmux.
        Tmux = "tmux",
        /// screen.
        Screen = "screen",
    }
}

impl MuxPreference {
    /// Both kinds, the preferred one first.
    const fn order(self) -> [MuxKind; 2] {
        match self {
            Self::Auto | Self::Tmux => [MuxKind::Tmux, MuxKind::Screen],
            Self::Screen => [MuxKind::Screen, MuxKind::Tmux],
        }
    }
}

/// A multiplexer and the path of its binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mux<'a> {
    /// Which one it is.
    pub kind: MuxKind,
    /// The path of its binary.
    pub bin: &'a str,
}

/// Takes the preferred multiplexer, or the other one when that is not installed: a seat with a
/// wrong preference should still come up. An empty path counts as not installed.
///
/// ```
/// use seatkit::launch::{FoundMux, MuxKind, MuxPreference, choose_mux};
///
/// let found = FoundMux { tmux: None, screen: Some("/usr/bin/screen") };
/// let mux = choose_mux(MuxPreference::Tmux, found).expect("screen is there");
/// assert_eq!(mux.kind, MuxKind::Screen);
/// ```
#[must_use]
pub fn choose_mux(preference: MuxPreference, found: FoundMux<'_>) -> Option<Mux<'_>> {
    preference.order().into_iter().find_map(|kind| {
        let bin = match kind {
            MuxKind::Tmux => found.tmux,
            MuxKind::Screen => found.screen,
        };
        bin.filter(|bin| !bin.is_empty()).map(|bin| Mux { kind, bin })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_candidate_that_exists_is_taken_and_no_further_one_asked() {
        let mut asked = Vec::new();
        let found = detect_mux(|path| {
            asked.push(path.to_owned());
            path == "/usr/local/bin/tmux" || path == "/usr/bin/screen"
        });
        assert_eq!(found.tmux, Some("/usr/local/bin/tmux"));
        assert_eq!(found.screen, Some("/usr/bin/screen"));
        assert_eq!(asked, ["/opt/homebrew/bin/tmux", "/usr/local/bin/tmux", "/usr/bin/screen"]);
    }

    #[test]
    fn every_candidate_is_asked_about_when_there_is_none() {
        let mut asked = 0;
        let found = detect_mux(|_| {
            asked += 1;
            false
        });
        assert_eq!(found, FoundMux::default());
        assert_eq!(asked, 6);
    }

    #[test]
    fn a_preference_is_an_order_and_not_a_condition() {
        let both = FoundMux { tmux: Some("/t"), screen: Some("/s") };
        let tmux = Some(Mux { kind: MuxKind::Tmux, bin: "/t" });
        let screen = Some(Mux { kind: MuxKind::Screen, bin: "/s" });
        assert_eq!(choose_mux(MuxPreference::Auto, both), tmux);
        assert_eq!(choose_mux(MuxPreference::Tmux, both), tmux);
        assert_eq!(choose_mux(MuxPreference::Screen, both), screen);
        let only_screen = FoundMux { tmux: Some(""), ..both };
        assert_eq!(choose_mux(MuxPreference::Tmux, only_screen), screen);
        let only_tmux = FoundMux { screen: None, ..both };
        assert_eq!(choose_mux(MuxPreference::Screen, only_tmux), tmux);
        assert_eq!(choose_mux(MuxPreference::Auto, FoundMux::default()), None);
    }

    #[test]
    fn a_kind_is_its_word_exactly() {
        assert_eq!("tmux".parse(), Ok(MuxKind::Tmux));
        assert_eq!("screen".parse(), Ok(MuxKind::Screen));
        let error = "Tmux".parse::<MuxKind>().unwrap_err();
        assert_eq!(error.to_string(), r#""Tmux" is not one of tmux, screen"#);
    }
}
