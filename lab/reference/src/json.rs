//! Keys of the JSON that verbs print: of `json!`, of assignments to a key, and of structures that serde writes.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, ItemFn, ItemMod, Macro};

use crate::source::{SourceTree, doc, is_test, renamed, serde_value, text};

/// Keys that files write, by name, with the doc comment of the field where there is one.
pub fn json_keys(tree: &SourceTree, below: &[&str]) -> BTreeMap<String, String> {
    let mut keys: BTreeMap<String, String> = BTreeMap::new();
    for (path, file) in tree.below(below) {
        let mut found = Keys::default();
        found.visit_file(file);
        for key in found.0 {
            keys.entry(key).or_default();
        }
        for of in tree.types_of(path).filter(|of| of.derives("Serialize")) {
            let case = serde_value(of.attributes(), "rename_all");
            for field in of.fields() {
                let skipped = ["skip", "skip_serializing", "flatten"];
                if skipped.iter().any(|key| serde_value(&field.attrs, key).is_some()) {
                    continue;
                }
                let name = field.ident.as_ref().expect("the field is named").to_string();
                let name = serde_value(&field.attrs, "rename").unwrap_or_else(|| renamed(&name, case.as_deref()));
                let meaning = keys.entry(name).or_default();
                if meaning.is_empty() {
                    *meaning = doc(&field.attrs);
                }
            }
        }
    }
    keys
}

#[derive(Default)]
struct Keys(BTreeSet<String>);

impl Visit<'_> for Keys {
    fn visit_item_mod(&mut self, module: &ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &ItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_macro(&mut self, called: &Macro) {
        if called.path.segments.last().is_some_and(|segment| segment.ident == "json") {
            self.object(called.tokens.clone());
        }
    }

    fn visit_expr_assign(&mut self, assign: &ExprAssign) {
        if let Expr::Index(index) = &*assign.left {
            self.0.extend(text(&index.index));
        }
        visit::visit_expr_assign(self, assign);
    }
}

impl Keys {
    /// Every text that a colon follows, at any depth.
    fn object(&mut self, tokens: TokenStream) {
        let mut last = None;
        for token in tokens {
            match &token {
                TokenTree::Group(group) => self.object(group.stream()),
                TokenTree::Punct(punct) if punct.as_char() == ':' => self.0.extend(last.take()),
                _ => {}
            }
            last = match token {
                TokenTree::Literal(literal) => {
                    let literal = syn::parse_str::<syn::LitStr>(&literal.to_string());
                    literal.ok().map(|literal| literal.value())
                }
                _ => None,
            };
        }
    }
}
