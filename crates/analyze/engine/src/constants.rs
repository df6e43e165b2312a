//! Constants of models, as tables state them: each with a unit, a meaning and a source.

use std::collections::BTreeMap;

/// A constant as its table states it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {
    /// In `unit`.
    value: f64,
    /// `bytes`, `seconds`, `ratio`, …
    unit: String,
    /// What it stands for.
    meaning: String,
    /// Where it comes from; `assumption: …` where nothing is published.
    source: String,
}

/// Why tables are not the constants of a model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConstantsError {
    /// A table is none of constants.
    #[error(transparent)]
    Table(#[from] toml::de::Error),
    /// A constant does not say what it is.
    #[error("`{name}` lacks unit, meaning or source")]
    Unstated {
        /// The constant.
        name: String,
    },
    /// A constant is in two tables.
    #[error("`{name}` stands in two tables")]
    Twice {
        /// The constant.
        name: String,
    },
    /// A constant that the model reads is in no table.
    #[error("no constant `{name}`")]
    Missing {
        /// The constant.
        name: &'static str,
    },
    /// A constant of a table that the model does not read.
    #[error("no constant `{name}` is read")]
    Unread {
        /// The constant.
        name: String,
    },
}

/// The values of tables in TOML, by name.
///
/// # Errors
/// When one is no table of constants, lacks a constant's unit, meaning or source, or two have the same.
pub fn values(tables: &[&str]) -> Result<BTreeMap<String, f64>, ConstantsError> {
    let mut values = BTreeMap::new();
    for table in tables {
        let table: BTreeMap<String, Constant> = toml::from_str(table)?;
        for (name, constant) in table {
            let stated = [&constant.unit, &constant.meaning, &constant.source];
            if stated.iter().any(|text| text.trim().is_empty()) {
                return Err(ConstantsError::Unstated { name });
            }
            if values.contains_key(&name) {
                return Err(ConstantsError::Twice { name });
            }
            values.insert(name, constant.value);
        }
    }
    Ok(values)
}

/// Declares a struct of constants that is read from tables of the same names. The visibility is that of its fields.
#[macro_export]
macro_rules! constants {
    ($(#[$said:meta])* $each:vis $name:ident { $($field:ident),* $(,)? }) => {
        $(#[$said])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name {
            $($each $field: f64,)*
        }

        impl $name {
            /// Their names.
            pub const NAMES: &[&str] = &[$(stringify!($field)),*];

            /// Reads them from tables that may hold others, too.
            ///
            /// # Errors
            /// When a table is none of constants, or one of them is in no table.
            pub fn among(tables: &[&str]) -> Result<Self, $crate::ConstantsError> {
                let values = $crate::values(tables)?;
                let take =
                    |name: &'static str| values.get(name).copied().ok_or($crate::ConstantsError::Missing { name });
                Ok(Self { $($field: take(stringify!($field))?,)* })
            }

            /// Reads them from a table that holds nothing else.
            ///
            /// # Errors
            /// As [`among`](Self::among), and when the table holds another.
            pub fn from_table(table: &str) -> Result<Self, $crate::ConstantsError> {
                let read = Self::among(&[table])?;
                read.over(table).map(|_| read)
            }

            /// The same with the constants that a table gives.
            ///
            /// # Errors
            /// When it is no table of constants, or gives one that is not read.
            pub fn over(self, table: &str) -> Result<Self, $crate::ConstantsError> {
                $crate::values(&[table])?.into_iter().try_fold(self, |constants, (name, value)| {
                    constants.with(&name, value).ok_or($crate::ConstantsError::Unread { name })
                })
            }

            /// A constant by its name in the tables; `None` if there is none of that name.
            pub fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $(stringify!($field) => Some(self.$field),)*
                    _ => None,
                }
            }

            /// The same with another value for one of them; `None` if there is none of that name.
            #[must_use]
            pub fn with(mut self, name: &str, value: f64) -> Option<Self> {
                match name {
                    $(stringify!($field) => self.$field = value,)*
                    _ => return None,
                }
                Some(self)
            }
        }
    };
}
