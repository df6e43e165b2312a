//! What the code names in calls: variables of the environment, and metrics that are registered.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprMethodCall, ItemFn, ItemMod, LitStr};

use crate::source::{SourceTree, is_test, text};

/// Names that begin so are variables of the environment wherever the code has them as a text.
const OURS: &[&str] = &["DISKWRIGHT_", "KUBERNETES_SERVICE_"];

/// Variables of the environment that the product reads: literal arguments of `env::var`, and texts with one of our prefixes.
pub fn environment_variables(tree: &SourceTree) -> BTreeSet<String> {
    let mut found = Variables::default();
    for (_, file) in tree.below(&["crates"]) {
        found.visit_file(file);
    }
    found.0
}

#[derive(Default)]
struct Variables(BTreeSet<String>);

impl Visit<'_> for Variables {
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

    fn visit_expr_call(&mut self, call: &ExprCall) {
        if let (Expr::Path(path), Some(name)) = (&*call.func, call.args.first().and_then(text)) {
            let segments: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            if matches!(segments.as_slice(), [.., env, var] if env == "env" && (var == "var" || var == "var_os")) {
                self.0.insert(name);
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_lit_str(&mut self, literal: &LitStr) {
        let text = literal.value();
        let shouted = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if shouted && OURS.iter().any(|prefix| text.starts_with(prefix)) {
            self.0.insert(text);
        }
    }
}

/// Metrics that files register, by name, with the help that they serve. A registry's prefix is put before its names.
pub fn registered_metrics(tree: &SourceTree, below: &[&str]) -> BTreeMap<String, String> {
    let mut found = Metrics::default();
    for (_, file) in tree.below(below) {
        found.prefix.clear();
        found.visit_file(file);
    }
    found.all
}

#[derive(Default)]
struct Metrics {
    prefix: String,
    all: BTreeMap<String, String>,
}

impl Visit<'_> for Metrics {
    fn visit_item_mod(&mut self, module: &ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_expr_call(&mut self, call: &ExprCall) {
        if let (Expr::Path(path), Some(prefix)) = (&*call.func, call.args.first().and_then(text))
            && path.path.segments.last().is_some_and(|segment| segment.ident == "with_prefix")
        {
            self.prefix = format!("{prefix}_");
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        let texts: Vec<Option<String>> = call.args.iter().map(text).collect();
        let method = call.method.to_string();
        if let ("register" | "counter" | "gauge" | "family", [Some(name), help, ..]) =
            (method.as_str(), texts.as_slice())
        {
            let help = help.clone().unwrap_or_default();
            self.all.insert(format!("{}{name}", self.prefix), help.trim_end_matches('.').to_owned());
        }
    }
}
