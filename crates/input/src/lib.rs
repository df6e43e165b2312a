//! Reads the files that people write: size, encoding, TOML; every error has file, line and a suggestion.

#![forbid(unsafe_code)]
