//! Text made safe for HTML.

use textfile::is_hidden;

/// Text as it may stand in an element or in a quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Control characters are not allowed in HTML even when escaped.
            c if c.is_control() && !matches!(c, '\n' | '\t') => safe.push('\u{fffd}'),
            // Even as a reference it would turn the text around it.
            c if is_hidden(c) && !c.is_control() => safe.extend(c.escape_default()),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_text_stays_text() {
        assert_eq!(escape("<script>'\"&"), "&lt;script&gt;&#39;&quot;&amp;");
        assert_eq!(escape("a\u{1b}[31m\n"), "a\u{fffd}[31m\n");
    }

    #[test]
    fn text_that_would_be_shown_in_another_order_is_shown_with_why() {
        assert_eq!(escape("gp3\u{202e}2pg\u{2069}"), "gp3\\u{202e}2pg\\u{2069}");
    }
}
