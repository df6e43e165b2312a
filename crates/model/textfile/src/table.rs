//! TOML into types, and its errors into messages that name the key.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{InputError, Text, did_you_mean};

/// Longest name or value quoted in a message.
const LONGEST_QUOTE: usize = 60;

/// Reads a value of type `T`.
///
/// # Errors
/// At the first place that is not TOML, or whose key, type or value `T` does not take.
pub fn from_toml<T: DeserializeOwned>(text: &Text) -> Result<T, InputError> {
    let document = DeTable::parse(text.content()).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        text.error_at(offset, format!("is not TOML: {}", error.message()))
    })?;
    T::deserialize(toml::Deserializer::from(document)).map_err(|error| explain(text, &error))
}

/// The byte offset of the value at a key written with dots, or of the innermost table that exists on the way to it.
pub(crate) fn locate(content: &str, key: &str) -> Option<usize> {
    let document = DeTable::parse(content).ok()?;
    let key: Vec<&str> = key.split('.').collect();
    let mut nearest = None;
    visit_table(document.get_ref(), &mut Vec::new(), &mut |path, offset| {
        let on_the_way = path.len() <= key.len() && path.iter().zip(&key).all(|(a, b)| a == b);
        if on_the_way && nearest.is_none_or(|(depth, _)| path.len() >= depth) {
            nearest = Some((path.len(), offset));
        }
    });
    nearest.map(|(_, offset)| offset)
}

/// The path of the innermost key or value that starts at a byte offset; none for the document itself.
fn path_at(content: &str, span: Range<usize>) -> Option<Vec<String>> {
    let document = DeTable::parse(content).ok()?;
    if span == document.span() {
        return None;
    }
    let (mut found, offset) = (None, span.start);
    visit_table(document.get_ref(), &mut Vec::new(), &mut |path, start| {
        if start == offset {
            found = Some(path.iter().map(Cow::to_string).collect());
        }
    });
    found
}

/// Gets a path and the offset at which its key or its value starts.
type Visitor<'v, 'i> = &'v mut dyn FnMut(&[Cow<'i, str>], usize);

/// Shows every key, then its value, then what is in it.
fn visit_table<'i>(table: &DeTable<'i>, path: &mut Vec<Cow<'i, str>>, visitor: Visitor<'_, 'i>) {
    for (key, value) in table {
        path.push(key.get_ref().clone());
        visitor(path, key.span().start);
        visit_value(value, path, visitor);
        path.pop();
    }
}

fn visit_value<'i>(value: &Spanned<DeValue<'i>>, path: &mut Vec<Cow<'i, str>>, visitor: Visitor<'_, 'i>) {
    visitor(path, value.span().start);
    match value.get_ref() {
        DeValue::Table(table) => visit_table(table, path, visitor),
        DeValue::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                path.push(i.to_string().into());
                visit_value(item, path, visitor);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Serde's words about a mismatch in ours, with the key it is about.
fn explain(text: &Text, error: &toml::de::Error) -> InputError {
    let span = error.span().unwrap_or_default();
    let (offset, message) = (span.start, error.message());
    let path = path_at(text.content(), span).unwrap_or_default();
    let (name, parent) = path.split_last().map_or(("", &[][..]), |(name, parent)| (name.as_str(), parent));
    let (path, parent) = (path.join("."), parent.join("."));

    if message.starts_with("unknown field `") {
        let message = format!("unknown key `{}` in {}", short(name), table_name(&parent));
        return text.error_at(offset, message).help(alternatives(name, error.message()));
    }
    if let Some(found) = quoted(message, "unknown variant `") {
        let message = format!("unknown value `{}` for `{}`", short(found), short(&path));
        return text.error_at(offset, message).help(alternatives(found, error.message()));
    }
    if let Some(missing) = quoted(message, "missing field `") {
        let message = format!("{} lacks the key `{missing}`", table_name(&path));
        return text.error_at(offset, message).help(format!("add `{missing} = …`"));
    }
    if let Some((found, expected)) = message.strip_prefix("invalid type: ").and_then(|m| m.split_once(", expected ")) {
        return text.error_at(offset, format!("`{}` is {found}; expected {expected}", short(&path)));
    }
    let prefix = if path.is_empty() { String::new() } else { format!("`{}`: ", short(&path)) };
    text.error_at(offset, format!("{prefix}{message}"))
}

/// The text between `start` and the last backtick before the first comma after it.
fn quoted<'a>(message: &'a str, start: &str) -> Option<&'a str> {
    let rest = message.strip_prefix(start)?;
    let end = rest.find("`, expected ").or_else(|| rest.strip_suffix('`').map(str::len))?;
    Some(&rest[..end])
}

/// Help from the list of names at the end of serde's message: `…, expected one of `a`, `b``.
fn alternatives(name: &str, message: &str) -> String {
    let list = message.rsplit_once("`, expected ").map_or("", |(_, list)| list);
    let names: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    if names.is_empty() { "remove it".to_owned() } else { did_you_mean(name, &names) }
}

fn table_name(path: &str) -> String {
    if path.is_empty() { "the file".to_owned() } else { format!("[{}]", short(path)) }
}

fn short(name: &str) -> String {
    match name.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct Shop {
        #[expect(dead_code, reason = "only its errors are looked at")]
        city: Option<City>,
        #[expect(dead_code, reason = "only its errors are looked at")]
        shelf: Option<Vec<Shelf>>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum City {
        Berlin,
        Lisbon,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shelf {
        #[expect(dead_code, reason = "only its errors are looked at")]
        size: units::Bytes,
    }

    fn message(toml: &str) -> String {
        from_toml::<Shop>(&Text::new("shop.toml", toml)).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_key_names_its_table_and_the_key_meant() {
        assert_eq!(
            message("[[shelf]]\nsize = 1\n[[shelf]]\nsise = 2\n"),
            "shop.toml:4:1: unknown key `sise` in [shelf.1]; did you mean `size`?"
        );
        assert_eq!(message("x = 1"), "shop.toml:1:1: unknown key `x` in the file; expected one of city, shelf");
    }

    #[test]
    fn an_unknown_value_names_its_key_and_the_value_meant() {
        assert_eq!(
            message("\ncity = 'lisbom'"),
            "shop.toml:2:8: unknown value `lisbom` for `city`; did you mean `lisbon`?"
        );
    }

    #[test]
    fn a_missing_key_is_named_at_its_table() {
        assert_eq!(
            message("city = 'berlin'\n[[shelf]]\n"),
            "shop.toml:2:1: [shelf.0] lacks the key `size`; add `size = …`"
        );
    }

    #[test]
    fn a_key_missing_at_the_top_is_missing_in_the_file() {
        #[derive(Debug, serde::Deserialize)]
        struct Named {
            #[expect(dead_code, reason = "only its errors are looked at")]
            name: String,
        }
        let error = from_toml::<Named>(&Text::new("a.toml", "city = 1\n")).unwrap_err();
        assert_eq!(error.to_string(), "a.toml:1:1: the file lacks the key `name`; add `name = …`");
    }

    #[test]
    fn a_bad_unit_deep_inside_keeps_its_line() {
        assert_eq!(
            message("shelf = [\n  { size = '1GiB' },\n  { size = '1 GoB' },\n]"),
            "shop.toml:3:12: `shelf.1.size`: `1 GoB` has the unknown unit `GoB`: a size is written in B, KiB, MiB, \
             GiB, TiB, PiB (1024) or kB, MB, GB, TB, PB (1000)"
        );
    }

    #[test]
    fn a_wrong_type_says_what_was_expected() {
        assert_eq!(
            message("[[shelf]]\nsize = true"),
            "shop.toml:2:8: `shelf.0.size` is boolean `true`; expected a size such as \"100GiB\""
        );
    }

    #[test]
    fn text_that_is_not_toml_is_pointed_at() {
        assert_eq!(
            message("city = berlin"),
            "shop.toml:1:8: is not TOML: string values must be quoted, expected literal string"
        );
        assert_eq!(message("shelf = []\nshelf = []"), "shop.toml:2:1: is not TOML: duplicate key");
    }

    #[test]
    fn a_key_is_located_or_else_its_table() {
        let toml = "a = 1\n[b]\nc = [{ d = 1 }, { d = 2 }]\n";
        assert_eq!(locate(toml, "b.c.1.d"), toml.find("2 }"));
        assert_eq!(locate(toml, "b.nothing"), toml.find("[b]"));
        assert_eq!(locate(toml, "nothing"), None);
    }
}
