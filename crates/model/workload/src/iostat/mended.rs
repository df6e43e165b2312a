//! JSON as sysstat writes it: with commas that nothing comes before or after (11.6 to 12.1 with `-y`), and cut off where it was
//! stopped, or with both.

use serde_json::Value;
use textfile::{InputError, Text};

/// Reads a document of sysstat, whatever it lacks at its end and has too much between its elements.
///
/// # Errors
/// When it is no JSON beyond that; with line and column in the file.
pub fn mended_json(text: &Text) -> Result<Value, InputError> {
    let content = text.content();
    let error = match serde_json::from_str(content) {
        Ok(document) => return Ok(document),
        Err(error) => error,
    };
    let mended = Mended::of(content);
    let whole = mended.as_ref().and_then(|mended| serde_json::from_str(&mended.text).ok());
    let document = whole.or_else(|| serde_json::from_str(&mended?.up_to_what_is_whole()?).ok());
    document.ok_or_else(|| {
        let line_start = content.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len);
        text.error_at(line_start.sum::<usize>() + error.column().saturating_sub(1), format!("is not JSON: {error}"))
    })
}

/// A document without stray commas, and how much of it is whole.
#[derive(Debug)]
struct Mended {
    text: String,
    /// Where the last object or list ends that is closed, and what is open there, the outermost first.
    whole: Option<(usize, Vec<char>)>,
}

impl Mended {
    /// Scans a document once; `None` where brackets do not fit each other.
    fn of(content: &str) -> Option<Self> {
        let mut mended = Self { text: String::with_capacity(content.len()), whole: None };
        let mut open = Vec::new();
        let (mut quoted, mut escaped) = (false, false);
        // The last character that is no space, and how long the text was before it.
        let mut last = (None, 0);
        for c in content.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                _ if quoted => {}
                ',' if matches!(last.0, None | Some('[' | '{' | ',')) => continue,
                '{' => open.push('}'),
                '[' => open.push(']'),
                '}' | ']' => {
                    if last.0 == Some(',') {
                        mended.text.truncate(last.1);
                    }
                    open.pop().filter(|closes| *closes == c)?;
                    mended.whole = Some((mended.text.len() + 1, open.clone()));
                }
                _ => {}
            }
            if quoted || !c.is_whitespace() {
                last = (Some(if quoted { '"' } else { c }), mended.text.len());
            }
            mended.text.push(c);
        }
        Some(mended)
    }

    /// The document up to the last object or list that is whole, with what is open closed.
    fn up_to_what_is_whole(self) -> Option<String> {
        let (end, open) = self.whole?;
        let mut text = self.text;
        text.truncate(end);
        text.extend(open.into_iter().rev());
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(content: &str) -> Option<Value> {
        mended_json(&Text::new("x.json", content)).ok()
    }

    #[test]
    fn stray_commas_are_passed_over_where_they_are_no_text() {
        let expected = serde_json::json!({"a": [1, {"b": ",]"}, 2]});
        for text in [
            r#"{"a": [,1, {"b": ",]"}, 2]}"#,
            r#"{"a": [1, {"b": ",]",}, 2,]}"#,
            "{\"a\": [1,, {,\"b\": \",]\"} ,\n 2\n,\n]}",
        ] {
            assert_eq!(read(text).as_ref(), Some(&expected), "{text}");
        }
    }

    #[test]
    fn a_document_with_a_stray_comma_that_was_cut_off_is_read_up_to_what_is_whole() {
        assert_eq!(read(r#"{"a": [,{"b": 1},{"b": 2},{"b"#), Some(serde_json::json!({"a": [{"b": 1}, {"b": 2}]})));
        assert_eq!(read(r#"{"a": [{"b": "\"]"},{"b"#), Some(serde_json::json!({"a": [{"b": "\"]"}]})));
        assert_eq!(read(r#"{"a": [}"#), None);
        assert_eq!(read(r#"{"a"#), None);
    }

    proptest! {
        #[test]
        fn reports_cut_off_anywhere_with_commas_anywhere_between_them_lose_only_the_last(
            count in 1usize..6, at in 0usize..6, cut in 1usize..20,
        ) {
            let reports: Vec<String> = (0..count).map(|index| format!("{{\"n\": {index}, \"t\": \"a,]\"}}")).collect();
            let mut text = String::from("{\"all\": [");
            for (index, report) in reports.iter().enumerate() {
                if index == at % count {
                    text.push(',');
                }
                text += report;
                text.push(',');
            }
            let whole = text.len();
            text += &reports[0];
            text.truncate((whole + cut).min(text.len() - 1));
            let read = read(&text).unwrap();
            prop_assert_eq!(read["all"].as_array().unwrap().len(), count);
        }

        #[test]
        fn any_text_is_read_or_refused(text in r#"[\[\]{},"a:1 \\]{0,40}"#) {
            let _ = read(&text);
        }
    }
}
