//! The source code of the product: every type that serde reads or writes, and every file as a syntax tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Fields, Item, Lit, Meta, Token};

/// A type of the source code.
#[derive(Debug, Clone)]
pub struct SourceType {
    /// Its file, relative to the repository.
    pub file: PathBuf,
    /// The type.
    pub item: SourceItem,
}

/// A structure or an enumeration.
#[derive(Debug, Clone)]
pub enum SourceItem {
    /// A structure with its fields.
    Struct(syn::ItemStruct),
    /// An enumeration with its variants.
    Enum(syn::ItemEnum),
}

/// Syntax trees of the product's files, without those of tests.
#[derive(Debug)]
pub struct SourceTree {
    root: PathBuf,
    files: BTreeMap<PathBuf, syn::File>,
    types: BTreeMap<String, Vec<SourceType>>,
}

impl SourceTree {
    /// Reads every source file below these folders of the repository.
    ///
    /// # Panics
    /// When a file cannot be read or is no Rust: a fault of the checkout.
    pub fn read(root: &Path, below: &[&str]) -> Self {
        let mut tree = Self { root: root.to_owned(), files: BTreeMap::new(), types: BTreeMap::new() };
        below.iter().for_each(|folder| tree.folder(&root.join(folder)));
        let all: Vec<(PathBuf, Vec<Item>)> = tree.files.iter().map(|(p, f)| (p.clone(), f.items.clone())).collect();
        for (file, items) in all {
            tree.collect(&file, &items);
        }
        tree
    }

    /// The files whose path begins with one of `prefixes`.
    pub fn below<'a>(&'a self, prefixes: &'a [&str]) -> impl Iterator<Item = (&'a Path, &'a syn::File)> {
        let chosen = move |path: &Path| prefixes.iter().any(|prefix| path.starts_with(prefix));
        self.files.iter().map(|(path, file)| (path.as_path(), file)).filter(move |(path, _)| chosen(path))
    }

    /// The types of a file.
    pub fn types_of<'a>(&'a self, file: &'a Path) -> impl Iterator<Item = &'a SourceType> {
        self.types.values().flatten().filter(move |found| found.file == file)
    }

    /// A type by its name, as seen from a file: of the file itself, else of its crate, else the only one of that name.
    pub fn named(&self, name: &str, from: &Path) -> Option<&SourceType> {
        let all = self.types.get(name)?;
        let of_crate = |found: &&SourceType| crate_of(&found.file) == crate_of(from);
        let only = || if let [one] = all.as_slice() { Some(one) } else { None };
        all.iter().find(|found| found.file == from).or_else(|| all.iter().find(of_crate)).or_else(only)
    }

    fn folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.expect("a folder can be listed").path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !matches!(name.as_str(), "tests" | "benches" | "examples" | "target" | "twin") {
                    self.folder(&path);
                }
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "build.rs" {
                let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let path = path.strip_prefix(&self.root).expect("it is below the root").to_owned();
                self.files.insert(path, file);
            }
        }
    }

    fn collect(&mut self, file: &Path, items: &[Item]) {
        for item in items {
            let (name, item) = match item {
                Item::Struct(found) => (found.ident.to_string(), SourceItem::Struct(found.clone())),
                Item::Enum(found) => (found.ident.to_string(), SourceItem::Enum(found.clone())),
                Item::Mod(module) if !is_test(&module.attrs) => {
                    if let Some((_, items)) = &module.content {
                        self.collect(file, items);
                    }
                    continue;
                }
                _ => continue,
            };
            self.types.entry(name).or_default().push(SourceType { file: file.to_owned(), item });
        }
    }
}

impl SourceType {
    /// The attributes of the type.
    pub fn attributes(&self) -> &[Attribute] {
        match &self.item {
            SourceItem::Struct(found) => &found.attrs,
            SourceItem::Enum(found) => &found.attrs,
        }
    }

    /// The named fields of a structure.
    pub fn fields(&self) -> Vec<syn::Field> {
        match &self.item {
            SourceItem::Struct(found) => match &found.fields {
                Fields::Named(named) => named.named.iter().cloned().collect(),
                _ => Vec::new(),
            },
            SourceItem::Enum(_) => Vec::new(),
        }
    }

    /// The variants of an enumeration.
    pub fn variants(&self) -> Vec<syn::Variant> {
        match &self.item {
            SourceItem::Enum(found) => found.variants.iter().cloned().collect(),
            SourceItem::Struct(_) => Vec::new(),
        }
    }

    /// Whether serde's trait of this name is derived.
    pub fn derives(&self, name: &str) -> bool {
        self.attributes().iter().filter(|attribute| attribute.path().is_ident("derive")).any(|attribute| {
            let paths = attribute.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated);
            paths.is_ok_and(|paths| paths.iter().any(|path| path.segments.last().is_some_and(|s| s.ident == name)))
        })
    }
}

/// `crates/FLOOR/CRATE`, or `crates/cli`.
fn crate_of(file: &Path) -> PathBuf {
    file.iter().take_while(|part| *part != "src").collect()
}

/// Whether an item is for tests only.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// A value of serde's attributes, such as that of `rename`; the empty text where it has none.
pub fn serde_value(attributes: &[Attribute], key: &str) -> Option<String> {
    let of = |attribute: &Attribute| {
        let metas = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
        metas.iter().filter(|meta| meta.path().is_ident(key)).find_map(|meta| match meta {
            Meta::Path(_) => Some(String::new()),
            Meta::NameValue(pair) => text(&pair.value),
            Meta::List(_) => None,
        })
    };
    attributes.iter().filter(|attribute| attribute.path().is_ident("serde")).find_map(of)
}

/// The doc comment as one line.
pub(crate) fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let lines = lines.filter_map(|attribute| text(&attribute.meta.require_name_value().ok()?.value));
    lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// A literal text.
pub(crate) fn text(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// A name in the case that serde's `rename_all` asks for.
pub fn renamed(name: &str, case: Option<&str>) -> String {
    match case {
        Some("kebab-case") => words(name).join("-"),
        Some("snake_case") => words(name).join("_"),
        Some("lowercase") => name.to_lowercase(),
        _ => name.trim_start_matches("r#").to_owned(),
    }
}

/// The words of `two_words` or `TwoWords`, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.trim_start_matches("r#").chars() {
        if letter == '_' || (letter.is_uppercase() && words.last().is_some_and(|word| !word.is_empty())) {
            words.push(String::new());
        }
        if letter != '_' {
            words.last_mut().expect("it begins with one").extend(letter.to_lowercase());
        }
    }
    words
}
