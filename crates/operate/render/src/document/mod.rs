//! A document as a tree of values with their reasons, and its ways onto paper: YAML, TOML, HCL. Reasons become comments.

mod comment;
mod hcl;
mod toml;
mod yaml;

pub(crate) use comment::comment;
pub(crate) use hcl::{Block, to_hcl};

/// Why a value is what it is, and what it follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Why {
    /// One or two sentences.
    pub(crate) text: String,
    /// The limit, manual or issue that it follows: an address, or a source as the catalogue names it.
    pub(crate) link: String,
}

impl Why {
    pub(crate) fn new(text: impl Into<String>, link: impl Into<String>) -> Self {
        Self { text: text.into(), link: link.into() }
    }
}

/// A value of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    /// A text; with line ends in it, a block.
    Text(String),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A list.
    List(Vec<Node>),
    /// Names with values.
    Map(Map),
    /// HCL only: an expression such as `var.subnet_a`.
    Expression(String),
}

/// Names with values, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Map(pub(crate) Vec<Entry>);

/// A name with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) value: Node,
    pub(crate) why: Option<Why>,
}

impl Map {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a value that explains itself.
    pub(crate) fn set(&mut self, key: impl Into<String>, value: impl Into<Node>) -> &mut Self {
        self.0.push(Entry { key: key.into(), value: value.into(), why: None });
        self
    }

    /// Adds a value with its reason.
    pub(crate) fn why(&mut self, key: impl Into<String>, value: impl Into<Node>, why: &Why) -> &mut Self {
        self.0.push(Entry { key: key.into(), value: value.into(), why: Some(why.clone()) });
        self
    }

    /// The same with a value added: for maps made in one go.
    pub(crate) fn with(mut self, key: impl Into<String>, value: impl Into<Node>) -> Self {
        self.set(key, value);
        self
    }

    /// The same with a value and its reason added.
    pub(crate) fn with_why(mut self, key: impl Into<String>, value: impl Into<Node>, why: &Why) -> Self {
        Self::why(&mut self, key, value, why);
        self
    }
}

macro_rules! nodes {
    ($($from:ty => |$value:ident| $node:expr),* $(,)?) => {
        $(impl From<$from> for Node {
            fn from($value: $from) -> Self {
                $node
            }
        })*
    };
}

nodes!(
    &str => |value| Node::Text(value.to_owned()),
    String => |value| Node::Text(value),
    bool => |value| Node::Bool(value),
    u32 => |value| Node::Int(value.into()),
    i64 => |value| Node::Int(value),
    Map => |value| Node::Map(value),
    Vec<Node> => |value| Node::List(value),
    Vec<Map> => |value| Node::List(value.into_iter().map(Node::Map).collect()),
    Vec<String> => |value| Node::List(value.into_iter().map(Node::Text).collect()),
);

impl From<f64> for Node {
    /// Whole numbers without a fraction, as people write them.
    fn from(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() < 9e15 { Self::Int(value as i64) } else { Self::Float(value) }
    }
}
