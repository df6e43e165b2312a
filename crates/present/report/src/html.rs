//! The little HTML that a page is made of.

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

/// A table whose cells are HTML already. Columns named in `numbers` are set right and in tabular figures.
pub(crate) fn table(label: &str, head: &[&str], numbers: &[usize], rows: &[Vec<String>]) -> String {
    let class = |i: usize| if numbers.contains(&i) { " class=\"n\"" } else { "" };
    let cells = |tag: &str, extra: &str, cells: &mut dyn Iterator<Item = &str>| -> String {
        let cells = cells.enumerate().map(|(i, c)| format!("<{tag}{extra}{}>{c}</{tag}>", class(i)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let head = cells("th", " scope=\"col\"", &mut head.iter().copied());
    let body: String = rows.iter().map(|row| cells("td", "", &mut row.iter().map(String::as_str))).collect();
    format!(
        "<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table>\n<thead>{head}</thead>\n\
         <tbody>\n{body}</tbody>\n</table>\n</div>\n",
        escape(label)
    )
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
