//! HCL: blocks and comments are laid out here, every expression is the library's.

use hcl::{Expression, Number};
use textfile::is_hidden;

use super::{Map, Node, Why};

/// A block: `resource "aws_ebs_volume" "tikv_1" { … }`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) kind: String,
    pub(crate) labels: Vec<String>,
    pub(crate) why: Option<Why>,
    pub(crate) attributes: Map,
    pub(crate) blocks: Vec<Block>,
}

impl Block {
    pub(crate) fn new(kind: &str, labels: &[&str], attributes: Map) -> Self {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        Self { kind: kind.to_owned(), labels, attributes, ..Self::default() }
    }

    /// The same with a reason above it.
    pub(crate) fn because(mut self, why: &Why) -> Self {
        self.why = Some(why.clone());
        self
    }

    /// The same with a block inside.
    pub(crate) fn with(mut self, block: Self) -> Self {
        self.blocks.push(block);
        self
    }
}

/// Blocks as a file, in the layout of `terraform fmt`.
pub(crate) fn to_hcl(blocks: &[Block]) -> String {
    blocks.iter().map(|block| block.print(0)).collect::<Vec<_>>().join("\n")
}

impl Block {
    fn print(&self, indent: usize) -> String {
        let margin = " ".repeat(indent);
        let mut out = self.why.as_ref().map(|why| why.comment("#", indent)).unwrap_or_default();
        let labels: String = self.labels.iter().map(|label| format!(" \"{label}\"")).collect();
        if self.attributes.0.is_empty() && self.blocks.is_empty() {
            return out + &format!("{margin}{}{labels} {{}}\n", self.kind);
        }
        out += &format!("{margin}{}{labels} {{\n", self.kind);
        let lines: Vec<(&str, String, Option<&Why>)> = self
            .attributes
            .0
            .iter()
            .map(|entry| (entry.key.as_str(), expression_at(&entry.value, indent + 2), entry.why.as_ref()))
            .collect();
        for (i, (key, value, why)) in lines.iter().enumerate() {
            if let Some(why) = why {
                out += &why.comment("#", indent + 2);
            }
            let pad = " ".repeat(width(&lines, i).saturating_sub(key.len()));
            out += &format!("{margin}  {key}{pad} = {value}\n");
        }
        for (i, block) in self.blocks.iter().enumerate() {
            if i > 0 || !lines.is_empty() {
                out.push('\n');
            }
            out += &block.print(indent + 2);
        }
        out + &format!("{margin}}}\n")
    }
}

/// `terraform fmt` lines up the equal signs of neighbours; a comment or a value of several lines parts them.
fn width(lines: &[(&str, String, Option<&Why>)], at: usize) -> usize {
    let parts = |i: usize| lines[i].2.is_some();
    let long = |i: usize| lines[i].1.contains('\n');
    if long(at) {
        return lines[at].0.len();
    }
    let mut from = at;
    while from > 0 && !parts(from) && !long(from - 1) {
        from -= 1;
    }
    let mut to = at;
    while to + 1 < lines.len() && !parts(to + 1) && !long(to + 1) {
        to += 1;
    }
    lines[from..=to].iter().map(|(key, ..)| key.len()).max().unwrap_or(0)
}

/// An expression as it stands in a file, its further lines set in by `indent`.
fn expression_at(node: &Node, indent: usize) -> String {
    let margin = " ".repeat(indent);
    match node {
        Node::Map(map) if !map.0.is_empty() => {
            let longest = map.0.iter().map(|entry| object_key(&entry.key).len()).max().unwrap_or(0);
            let lines = map.0.iter().map(|entry| {
                let value = expression_at(&entry.value, indent + 2);
                format!("{margin}  {:longest$} = {value}\n", object_key(&entry.key))
            });
            format!("{{\n{}{margin}}}", lines.collect::<String>())
        }
        Node::List(items) => {
            let items: Vec<String> = items.iter().map(|item| expression_at(item, indent)).collect();
            format!("[{}]", items.join(", "))
        }
        _ => printed(&expression(node)),
    }
}

/// An expression as text; hidden characters, which are in quotes always, as escapes.
fn printed(expression: &Expression) -> String {
    let text = hcl::format::to_string(expression).unwrap_or_default();
    let hidden = |c: char| is_hidden(c) && c != '\n';
    if !text.contains(hidden) {
        return text;
    }
    // All of them are in Unicode's first plane.
    text.chars().map(|c| if hidden(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }).collect()
}

/// The key of an object, in quotes where it is no name.
fn object_key(key: &str) -> String {
    let name = hcl::Identifier::new(key).map(|name| name.to_string());
    name.unwrap_or_else(|_| printed(&Expression::from(key)))
}

/// A value that is neither list nor object.
fn expression(node: &Node) -> Expression {
    match node {
        Node::Text(text) => Expression::String(text.clone()),
        Node::Int(number) => Expression::Number(Number::from(*number)),
        Node::Float(number) => Number::from_f64(*number).map_or(Expression::Null, Expression::Number),
        Node::Bool(value) => Expression::Bool(*value),
        Node::List(_) | Node::Map(_) => Expression::Null,
        // Written by the formats only; a test parses every file that they make.
        Node::Expression(text) => text.parse().unwrap_or_else(|_| Expression::String(text.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_reads_back_with_texts_and_references_apart() {
        let attributes = Map::new()
            .with("size", 20u32)
            .with_why("iops", 3000u32, &Why::new("free", "https://example.com"))
            .with("zone", Node::Expression("var.zones[0]".into()))
            .with("name", "a ${b} \"c\"");
        let text = to_hcl(&[Block::new("resource", &["aws_ebs_volume", "x"], attributes)]);
        let body: hcl::Body = hcl::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let block = body.blocks().next().unwrap();
        let value = |key: &str| block.body().attributes().find(|a| a.key() == key).unwrap().expr().clone();
        assert_eq!(value("size"), Expression::Number(20.into()));
        assert!(matches!(value("zone"), Expression::Traversal(_)), "{text}");
        assert!(text.contains("$${b}"), "interpolation must be escaped: {text}");
    }

    #[test]
    fn a_text_that_would_read_otherwise_than_it_is_has_escapes() {
        let hidden = "a\u{202e}b\u{7f}\u{85}\u{1b}";
        let text = to_hcl(&[Block::new("x", &[], Map::new().with("name", hidden))]);
        assert!(!text.contains(|c| is_hidden(c) && c != '\n'), "{text:?}");
        let body: hcl::Body = hcl::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let value = body.blocks().next().unwrap().body().attributes().next().unwrap().expr().clone();
        assert_eq!(value, Expression::String(hidden.to_owned()));
    }
}
