//! Keys of a file that people write, from the structure that serde reads it into.

use std::path::Path;

use syn::{GenericArgument, PathArguments, Type};

use crate::source::{SourceTree, SourceType, doc, renamed, serde_value};

/// A key of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileKey {
    /// Its path from the top of the file: `nodes[].data`.
    pub path: String,
    /// Type and unit, for people.
    pub kind: String,
    /// Whether a file without it is refused.
    pub required: bool,
    /// The first sentence of its doc comment.
    pub meaning: String,
}

/// Types that a file writes as one value: the source's name, and what people read of it.
const VALUES: &[(&str, &str)] = &[
    ("String", "text"),
    ("PathBuf", "path"),
    ("LedgerPath", "path"),
    ("bool", "`true` or `false`"),
    ("u8", "integer"),
    ("u16", "integer"),
    ("u32", "integer"),
    ("u64", "integer"),
    ("usize", "integer"),
    ("f64", "number"),
    ("Uncertain", "number~"),
    ("Bytes", "size"),
    ("Nanos", "duration"),
    ("BytesPerSec", "throughput"),
    ("Iops", "I/O rate"),
    ("Ratio", "share"),
    ("Usd", "USD a month"),
    ("Date", "date"),
    ("Disk", "disk"),
];

/// The keys of a file, in the order of the structure that it is read into, tables included.
///
/// # Panics
/// When a type is unknown: it is then added to the list of values.
pub fn file_keys(tree: &SourceTree, file: &str, root: &str) -> Vec<FileKey> {
    let file = Path::new(file);
    let root = tree.named(root, file).unwrap_or_else(|| panic!("{} has no type {root}", file.display()));
    let mut keys = Vec::new();
    walk(tree, root, "", &mut keys);
    keys
}

fn walk(tree: &SourceTree, of: &SourceType, above: &str, keys: &mut Vec<FileKey>) {
    if let Some(written) = serde_value(of.attributes(), "try_from") {
        let written = tree.named(&written, &of.file).expect("what it is read from is a type of its file");
        return walk(tree, written, above, keys);
    }
    let case = serde_value(of.attributes(), "rename_all");
    let all_default = serde_value(of.attributes(), "default").is_some();
    for field in of.fields() {
        if serde_value(&field.attrs, "skip").is_some() {
            continue;
        }
        let name = field.ident.as_ref().expect("the field is named").to_string();
        let name = serde_value(&field.attrs, "rename").unwrap_or_else(|| renamed(&name, case.as_deref()));
        let path = format!("{above}{name}");
        let found = kind(tree, &field.ty, &of.file);
        let required = !all_default && !found.optional && serde_value(&field.attrs, "default").is_none();
        keys.push(FileKey { path: path.clone(), kind: found.text, required, meaning: first_sentence(&field.attrs) });
        if let Some(table) = found.table {
            walk(tree, table, &format!("{path}{}", found.joint), keys);
        }
    }
}

/// What a type is for people.
struct Kind<'t> {
    text: String,
    optional: bool,
    table: Option<&'t SourceType>,
    joint: &'static str,
}

fn kind<'t>(tree: &'t SourceTree, ty: &Type, from: &Path) -> Kind<'t> {
    let value = |text: String| Kind { text, optional: false, table: None, joint: "." };
    if let Type::Array(array) = ty {
        return value(format!("list of {}s", kind(tree, &array.elem, from).text));
    }
    let Type::Path(path) = ty else { panic!("{}: a type that no file is read into", from.display()) };
    let segment = path.path.segments.last().expect("a path has a name");
    let name = segment.ident.to_string();
    let inner: Vec<&Type> = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => {
            let types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            types.collect()
        }
        _ => Vec::new(),
    };
    match (name.as_str(), inner.as_slice()) {
        ("Option", [inner]) => Kind { optional: true, ..kind(tree, inner, from) },
        ("Box", [inner]) => kind(tree, inner, from),
        ("Interval", [inner]) => value(format!("{}~", kind(tree, inner, from).text)),
        ("Vec", [inner]) => {
            let of = kind(tree, inner, from);
            let text = if of.table.is_some() { "list of tables".to_owned() } else { format!("list of {}", of.text) };
            Kind { text, joint: "[].", ..of }
        }
        ("BTreeMap", [_, inner]) => value(format!("table of {}", kind(tree, inner, from).text)),
        _ => match VALUES.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => value((*text).to_owned()),
            None => declared(tree, &name, from),
        },
    }
}

/// A type of the source code: a table, or one of some words.
fn declared<'t>(tree: &'t SourceTree, name: &str, from: &Path) -> Kind<'t> {
    let found =
        tree.named(name, from).unwrap_or_else(|| panic!("{}: what is {name}? Add it to VALUES", from.display()));
    let case = serde_value(found.attributes(), "rename_all");
    let words: Vec<String> = found
        .variants()
        .iter()
        .map(|variant| {
            let name = variant.ident.to_string();
            let name = serde_value(&variant.attrs, "rename").unwrap_or_else(|| renamed(&name, case.as_deref()));
            format!("`{name}`")
        })
        .collect();
    if words.is_empty() {
        return Kind { text: "table".to_owned(), optional: false, table: Some(found), joint: "." };
    }
    Kind { text: format!("one of {}", words.join(", ")), optional: false, table: None, joint: "." }
}

fn first_sentence(attributes: &[syn::Attribute]) -> String {
    let text = doc(attributes);
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].trim_end_matches('.').to_owned()
}
