//! YAML: the layout, the comments and the quotes are ours, because no maintained library writes comments above keys; tests
//! read all of it back with one.

use textfile::is_hidden;

use super::{Map, Node};

impl Map {
    /// The document as YAML, reasons as comments above their keys.
    pub(crate) fn to_yaml(&self) -> String {
        let mut out = String::new();
        map(&mut out, self, 0);
        out
    }
}

fn map(out: &mut String, map: &Map, indent: usize) {
    for entry in &map.0 {
        if let Some(why) = &entry.why {
            *out += &why.comment("#", indent);
        }
        *out += &format!("{}{}:", " ".repeat(indent), scalar(&entry.key));
        value(out, &entry.value, indent);
    }
}

/// What follows a key or a dash that stands at `indent`.
fn value(out: &mut String, node: &Node, indent: usize) {
    match node {
        Node::Map(inner) if inner.0.is_empty() => *out += " {}\n",
        Node::List(items) if items.is_empty() => *out += " []\n",
        Node::Map(inner) => {
            out.push('\n');
            map(out, inner, indent + 2);
        }
        Node::List(items) => {
            out.push('\n');
            items.iter().for_each(|item| self::item(out, item, indent + 2));
        }
        Node::Text(text) if text.contains('\n') && !needs_escapes(text) => block(out, text, indent + 2),
        _ => *out += &format!(" {}\n", inline(node)),
    }
}

/// An item of a list whose dash stands at `indent`. The first key of a map stands beside the dash.
fn item(out: &mut String, node: &Node, indent: usize) {
    let dash = format!("{}-", " ".repeat(indent));
    match node {
        Node::Map(inner) if !inner.0.is_empty() => {
            let mut text = String::new();
            map(&mut text, inner, indent + 2);
            // A comment above the first key would stand between dash and key: it goes above the dash.
            let first = text.lines().take_while(|line| line.trim_start().starts_with('#')).count();
            for (i, line) in text.lines().enumerate() {
                match i {
                    _ if i < first => *out += &format!("{}\n", &line[2..]),
                    _ if i == first => *out += &format!("{dash} {}\n", line.trim_start()),
                    _ => *out += &format!("{line}\n"),
                }
            }
        }
        _ => {
            *out += &dash;
            value(out, node, indent);
        }
    }
}

/// A text of several lines, kept as it is; one line end at its end.
fn block(out: &mut String, text: &str, indent: usize) {
    *out += " |\n";
    for line in text.trim_end().lines() {
        *out += &if line.is_empty() { "\n".to_owned() } else { format!("{}{line}\n", " ".repeat(indent)) };
    }
}

fn inline(node: &Node) -> String {
    match node {
        Node::Text(text) | Node::Expression(text) => scalar(text),
        Node::Int(number) => number.to_string(),
        Node::Float(number) => number.to_string(),
        Node::Bool(value) => value.to_string(),
        Node::List(_) | Node::Map(_) => String::new(),
    }
}

/// A text as a scalar that every reader, of YAML 1.1 and 1.2, takes for that text. Plain where it surely is one.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_./:,()%+=".contains(c);
    let begins_with_letter = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let reserved = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let ends = text.ends_with([':', ' ']) || text.contains(": ");
    if begins_with_letter && text.chars().all(plain) && !ends && !reserved.contains(&text.to_ascii_lowercase().as_str())
    {
        return text.to_owned();
    }
    if needs_escapes(text) || text.contains('\n') { escaped(text) } else { format!("'{}'", text.replace('\'', "''")) }
}

/// Whether only the form with escapes holds a text, so that whoever reads the file sees what is there.
fn needs_escapes(text: &str) -> bool {
    text.contains(|c| is_hidden(c) && c != '\n')
}

/// A text in double quotes (YAML 1.2.2, 5.7).
fn escaped(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // All of them are in Unicode's first plane.
            c if is_hidden(c) => out += &format!("\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::Why;
    use super::*;

    fn read(text: &str) -> Value {
        serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn maps_lists_and_blocks_read_back() {
        let why = Why::new("because", "https://example.com");
        let inner = Map::new().with_why("a", "x: y", &why).with("b", vec![Node::Int(1), Node::from("two")]);
        let document = Map::new()
            .with("list", vec![Node::Map(inner.clone()), Node::Map(inner)])
            .with("text", "one\n\n  two # no comment\n")
            .with("empty", Map::new())
            .with("none", Node::List(Vec::new()))
            .with("nested", vec![Node::List(vec![Node::Bool(true)])])
            .with("half", 0.5);
        let expected = json!({
            "list": [{"a": "x: y", "b": [1, "two"]}, {"a": "x: y", "b": [1, "two"]}],
            "text": "one\n\n  two # no comment\n",
            "empty": {}, "none": [], "nested": [[true]], "half": 0.5,
        });
        let text = document.to_yaml();
        assert_eq!(read(&text), expected, "{text}");
        assert!(
            text.contains("  # because\n  # See https://example.com\n  - a: 'x: y'") || text.contains("- a: \"x: y\""),
            "{text}"
        );
    }

    proptest! {
        #[test]
        fn any_text_of_a_line_reads_back_as_that_text(text in "[ -~äß€\u{1}\t\u{1b}\u{7f}\u{85}\u{2028}\u{202e}\u{2069}]{0,40}", key in "[a-z./:# -]{1,12}") {
            let document = Map::new().with(key.clone(), text.clone()).to_yaml();
            prop_assert_eq!(read(&document), json!({ key: text }), "{}", document);
            prop_assert!(!document.contains(|c| is_hidden(c) && c != '\n'), "{:?}", document);
        }

        #[test]
        fn words_that_look_like_other_things_stay_texts(text in prop::sample::select(vec![
            "true", "No", "null", "~", "1", "1e3", "0x10", "1:30", "2020-01-01", "", " x", "-", "- a", "*a", "&a", "!x", "%", "@", "`",
        ])) {
            let document = Map::new().with("k", text).with("l", vec![Node::from(text)]).to_yaml();
            prop_assert_eq!(read(&document), json!({ "k": text, "l": [text] }), "{}", document);
        }
    }
}
