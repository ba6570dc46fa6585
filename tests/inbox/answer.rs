//! What a call answered, in a form that passes from one process to another.

use seatkit::inbox::Refusal;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// `ok` or the word of the refusal.
    pub(crate) word: String,
    /// The errno name, if any.
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Answer {
    pub(crate) fn ok() -> Self {
        Self { word: "ok".to_owned(), code: String::new(), message: String::new() }
    }

    pub(crate) fn of<T>(result: Result<T, Refusal>) -> Self {
        match result {
            Ok(_) => Self::ok(),
            Err(refusal) => Self {
                word: refusal.error.to_string(),
                code: refusal.code.unwrap_or_default().to_owned(),
                message: refusal.message,
            },
        }
    }

    pub(crate) fn to_line(&self) -> String {
        format!("{}\t{}\t{}", self.word, self.code, self.message)
    }

    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        Some(Self { word: parts.next()?, code: parts.next()?, message: parts.next()? })
    }
}
