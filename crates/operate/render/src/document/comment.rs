//! Reasons as comment lines.

use textfile::escape_hidden;

use super::Why;

/// Columns that no comment exceeds, unless a single word does.
const WIDTH: usize = 100;

/// A text as lines that begin with `mark`, set in by `indent` blanks and broken between words. Hidden characters are escaped: one
/// could end the comment, or let its rest read otherwise than it is.
pub(crate) fn comment(mark: &str, indent: usize, text: &str) -> String {
    let margin = format!("{}{mark} ", " ".repeat(indent));
    let mut out = String::new();
    for paragraph in escape_hidden(text).lines() {
        let mut line = margin.clone();
        for word in paragraph.split_whitespace() {
            let filled = line.len() > margin.len();
            if filled && line.chars().count() + 1 + word.chars().count() > WIDTH {
                out += line.trim_end();
                out.push('\n');
                line.clone_from(&margin);
            } else if filled {
                line.push(' ');
            }
            line += word;
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

impl Why {
    /// The reason as comment lines: what, and on a line of its own where it comes from.
    pub(crate) fn comment(&self, mark: &str, indent: usize) -> String {
        let mut out = comment(mark, indent, &self.text);
        if !self.link.is_empty() {
            out += &comment(mark, indent, &format!("See {}", self.link));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_is_broken_between_words_and_ends_with_its_link() {
        let why = Why::new("word ".repeat(40), "https://example.com/limit");
        let text = why.comment("#", 2);
        assert!(text.lines().all(|line| line.starts_with("  # ") && line.len() <= WIDTH), "{text}");
        assert_eq!(text.lines().last(), Some("  # See https://example.com/limit"));
        assert_eq!(text.matches("word").count(), 40);
    }

    #[test]
    fn a_word_that_no_line_holds_stays_whole() {
        let word = "x".repeat(2 * WIDTH);
        assert_eq!(comment("//", 0, &word), format!("// {word}\n"));
    }

    #[test]
    fn a_comment_holds_no_character_that_ends_it_or_turns_it_around() {
        assert_eq!(comment("#", 0, "a\u{2028}b \u{202e}c\r\u{85}"), "# a\\u{2028}b \\u{202e}c\\r\\u{85}\n");
    }
}
