//! Enums whose variants are known by a word, the same in Rust and everywhere else.

/// A word that was not expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not one of {}", expected.join(", "))]
pub struct UnknownWord {
    /// What was given.
    pub word: String,
    /// What there is.
    pub expected: &'static [&'static str],
}

/// Declares such an enum: the variants, their words, `as_str`, `Display` and `FromStr` in one table.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$doc:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $($(#[$doc])* $variant,)+
        }

        #[allow(dead_code, reason = "not every table of words is used both ways")]
        impl $name {
            /// All of them, in the order in which they are declared.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),+];
            const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for it.
            #[must_use]
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL
                    .iter()
                    .copied()
                    .find(|one| one.as_str() == word)
                    .ok_or_else(|| $crate::words::UnknownWord {
                        word: word.to_owned(),
                        expected: Self::WORDS,
                    })
            }
        }
    };
}

pub(crate) use words;
