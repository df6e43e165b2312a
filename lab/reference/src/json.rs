//! Keys of the JSON that verbs print: of `json!`, of assignments to a key, and of structures that serde writes, derived or by hand.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, ExprMethodCall, ItemFn, ItemMod, Macro};

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
            fields(&of.fields(), case.as_deref(), &mut keys);
            let tag = serde_value(of.attributes(), "tag");
            let untagged = serde_value(of.attributes(), "untagged").is_some();
            keys.extend(tag.iter().map(|tag| (tag.clone(), String::new())));
            for variant in of.variants().iter().filter(|variant| !variant.fields.is_empty()) {
                if tag.is_none() && !untagged {
                    let name = renamed(&variant.ident.to_string(), case.as_deref());
                    keys.entry(serde_value(&variant.attrs, "rename").unwrap_or(name)).or_default();
                }
                let named: Vec<syn::Field> =
                    variant.fields.iter().filter(|field| field.ident.is_some()).cloned().collect();
                let case = serde_value(of.attributes(), "rename_all_fields");
                fields(&named, case.as_deref(), &mut keys);
            }
        }
    }
    keys
}

/// Adds the keys under which serde writes fields.
fn fields(of: &[syn::Field], case: Option<&str>, keys: &mut BTreeMap<String, String>) {
    for field in of {
        let skipped = ["skip", "skip_serializing", "flatten"];
        if skipped.iter().any(|key| serde_value(&field.attrs, key).is_some()) {
            continue;
        }
        let name = field.ident.as_ref().expect("the field is named").to_string();
        let name = serde_value(&field.attrs, "rename").unwrap_or_else(|| renamed(&name, case));
        let meaning = keys.entry(name).or_default();
        if meaning.is_empty() {
            *meaning = doc(&field.attrs);
        }
    }
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

    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        if call.method == "serialize_field" || call.method == "serialize_entry" {
            self.0.extend(call.args.first().and_then(text));
        }
        visit::visit_expr_method_call(self, call);
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
