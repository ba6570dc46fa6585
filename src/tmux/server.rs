//! Which tmux server a command is for.

/// The flags that stand before a tmux command and choose its server.
///
/// ```
/// use seatkit::tmux::TmuxServer;
///
/// let named = TmuxServer { socket: Some("seat".into()), config: Some("/dev/null".into()), utf8: true };
/// assert_eq!(named.flags(), ["-L", "seat", "-f", "/dev/null", "-u"]);
/// let placed = TmuxServer { socket: Some("/run/seat.sock".into()), ..TmuxServer::default() };
/// assert_eq!(placed.flags(), ["-S", "/run/seat.sock"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TmuxServer {
    /// A name (`-L`), or a path (`-S`) where it holds a `/`. `None` is the server that `TMUX`
    /// names, or else the user's default one.
    pub socket: Option<String>,
    /// The configuration file that the server reads when it starts (`-f`); it has no effect on one
    /// that is already running. `/dev/null` keeps a user's own configuration out.
    pub config: Option<String>,
    /// Whether to print names as they are (`-u`): in a locale that is not UTF-8 tmux prints `_` for
    /// whatever is not ASCII.
    pub utf8: bool,
}

impl TmuxServer {
    /// The flags, in the order of the fields.
    #[must_use]
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if let Some(socket) = &self.socket {
            let flag = if socket.contains('/') { "-S" } else { "-L" };
            flags.extend([flag.to_owned(), socket.clone()]);
        }
        if let Some(config) = &self.config {
            flags.extend(["-f".to_owned(), config.clone()]);
        }
        if self.utf8 {
            flags.push("-u".to_owned());
        }
        flags
    }
}
