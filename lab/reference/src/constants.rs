//! Constants of a file that are numbers, such as exit codes.

use std::path::Path;

use syn::{Expr, Item, Lit};

use crate::source::{SourceTree, doc};

/// Constants of a file whose type has this name: value and meaning, in the file's order.
pub fn constants(tree: &SourceTree, file: &str, kind: &str) -> Vec<(String, String)> {
    let of = |item: &Item| {
        let Item::Const(constant) = item else { return None };
        let syn::Type::Path(path) = &*constant.ty else { return None };
        let Expr::Lit(literal) = &*constant.expr else { return None };
        let Lit::Int(number) = &literal.lit else { return None };
        let meaning = doc(&constant.attrs).trim_end_matches('.').to_owned();
        path.path.is_ident(kind).then(|| (number.base10_digits().to_owned(), meaning))
    };
    tree.below(&[file])
        .filter(|(path, _)| *path == Path::new(file))
        .flat_map(|(_, f)| f.items.iter().filter_map(of))
        .collect()
}
