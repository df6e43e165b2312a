//! Characters that a terminal obeys, or that make a text read otherwise than it is, as escapes.

use std::borrow::Cow;

/// Whether a character acts on whoever shows it instead of being shown: control characters (C0, DEL, C1), the
/// bidirectional embeddings, overrides and isolates (Unicode UAX #9; CVE-2021-42574), and the separators of lines and
/// paragraphs, which end a comment in YAML 1.1.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with hidden characters as escapes such as `\u{1b}`; line ends and tabs stay.
pub fn escape_hidden(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// The same for a text that is to stay on one line: line ends and tabs are escaped too.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    escape(text, is_hidden)
}

fn escape(text: &str, wanted: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&wanted) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if wanted(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// Prints a line to standard error with its hidden characters escaped: what peers and files say must not act on a terminal that
/// shows a log.
pub fn log_line(line: impl std::fmt::Display) {
    eprintln!("{}", escape_hidden(&line.to_string()));
}

/// A path as one word of a POSIX shell, for commands that people are told to run. Bytes that no terminal should get are
/// written in the form `$'…'` of bash and zsh.
pub fn shell_word(path: impl AsRef<std::path::Path>) -> String {
    let path = path.as_ref();
    let Some(text) = path.to_str().filter(|text| !text.contains(is_hidden)) else {
        return ansi_c(path.as_os_str().as_encoded_bytes());
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c) || !c.is_ascii();
    // A word that begins with a dash would be an option, and zsh expands one that begins with `=`.
    let word = if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('=') {
        return word;
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A word in bash's ANSI-C quoting.
fn ansi_c(bytes: &[u8]) -> String {
    let mut word = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => word.extend(['\\', c]),
                c if is_hidden(c) => {
                    word.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("\\x{byte:02x}")));
                }
                c => word.push(c),
            }
        }
        word.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_and_all_else_stays() {
        assert_eq!(escape_hidden("\u{1b}]0;title\u{7}"), "\\u{1b}]0;title\\u{7}");
        assert_eq!(
            escape_hidden("a\u{9b}b\u{7f}c\u{202e}d\u{2066}e\r\n"),
            "a\\u{9b}b\\u{7f}c\\u{202e}d\\u{2066}e\\r\n"
        );
        assert_eq!(escape_line("a\nb\tc\u{2028}"), "a\\nb\\tc\\u{2028}");
        let plain = "µ 50 % → 東京 שלום\n";
        assert!(matches!(escape_hidden(plain), Cow::Borrowed(same) if same == plain));
    }

    #[test]
    fn a_path_is_quoted_only_where_a_shell_would_read_it_otherwise() {
        for (path, word) in [
            ("/mnt/tikv", "/mnt/tikv"),
            ("/mnt/my data", "'/mnt/my data'"),
            ("/mnt/it's", r"'/mnt/it'\''s'"),
            ("$(reboot)", "'$(reboot)'"),
            ("-rf", "./-rf"),
            ("-r f", "'./-r f'"),
            ("", "''"),
            ("/mnt/ä", "/mnt/ä"),
        ] {
            assert_eq!(shell_word(path), word);
        }
        assert_eq!(shell_word("/a\u{1b}'b"), r"$'/a\x1b\'b'");
        assert_eq!(shell_word("/a\u{202e}b"), r"$'/a\xe2\x80\xaeb'");
    }

    #[test]
    fn bash_reads_every_word_as_the_path_that_it_is() {
        for path in [&b"/a b"[..], b"/it's \"x\" $HOME `id` \\", b"/\x1b[31m\n", b"/\xff'\xfe", "/\u{202e}ä".as_bytes()]
        {
            let word = shell_word(OsStr::from_bytes(path));
            let said = Command::new("bash").args(["-c", &format!("printf %s {word}")]).output().unwrap();
            assert_eq!(said.stdout, path, "{word}");
        }
    }
}
