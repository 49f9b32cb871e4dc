//! The tree.

/// A character or a substitution of a word, and whether it stands in quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Outside quotes: globs, braces and the tilde are special.
    Bare(char),
    Quoted(char),
    /// `""`: nothing, but a word.
    Empty,
    Sub {
        sub: Box<Sub>,
        quoted: bool,
    },
}

pub type Word = Vec<Unit>;

/// Something that is replaced by its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sub {
    Param(Param),
    /// `$(…)` or backticks: the text inside.
    Command(String),
    /// `<(…)` and `>(…)`.
    Process {
        text: String,
        input: bool,
    },
    /// `$((…))`.
    Arithmetic(String),
}

/// `${…}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub index: Option<String>,
    /// `${!name}`.
    pub indirect: bool,
    /// `${#name}`.
    pub length: bool,
    pub op: Op,
}

/// Which end of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Start,
    End,
    Anywhere,
}

/// What is done to a parameter's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    None,
    /// `:-` and `:=`; without the colon only where it is not set.
    Default {
        word: Word,
        assign: bool,
        empty_too: bool,
    },
    /// `:+`.
    Alternative {
        word: Word,
        empty_too: bool,
    },
    /// `:?`.
    Error {
        word: Word,
    },
    Slice {
        offset: String,
        length: Option<String>,
    },
    Strip {
        pattern: Word,
        side: Side,
        longest: bool,
    },
    Replace {
        pattern: Word,
        with: Word,
        all: bool,
        side: Side,
    },
    Case {
        upper: bool,
        all: bool,
    },
    /// `@Q`, `@P`, …
    Transform(char),
    /// Not understood.
    Unread,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Scalar(Word),
    Array(Vec<Word>),
}

/// `name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assign {
    pub name: String,
    pub index: Option<String>,
    pub append: bool,
    pub value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOp {
    /// `<`
    Input,
    /// `>` and `>|`
    Output,
    /// `>>`
    Append,
    /// `<>`
    Both,
    /// `&>` and `>& file`
    OutputAll,
    /// `<&` and `>&` with a number or `-`
    Copy,
    HereDoc,
    /// `<<<`
    HereString,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Word(Word),
    /// The number of a here-document of the script.
    HereDoc(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    pub fd: Option<String>,
    pub op: RedirectOp,
    pub target: Target,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    pub assigns: Vec<Assign>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Simple(Simple),
    Pipeline(Vec<Node>),
    /// One after the other, whatever joins them.
    Sequence(Vec<Node>),
    Background(Box<Node>),
    /// `( … )`: what it sets is forgotten.
    Subshell(Box<Node>),
    /// The conditions and bodies: any of them may run.
    If(Vec<Node>),
    While {
        condition: Box<Node>,
        body: Box<Node>,
    },
    /// `None`: over the positional parameters.
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: Box<Node>,
    },
    ForArithmetic {
        text: String,
        body: Box<Node>,
    },
    Case {
        word: Word,
        items: Vec<(Vec<Word>, Node)>,
    },
    Function {
        name: String,
        body: Box<Node>,
    },
    /// `[[ … ]]`, as words.
    Test(Vec<Word>),
    /// `(( … ))`.
    Arithmetic(String),
    Redirected {
        node: Box<Node>,
        redirects: Vec<Redirect>,
    },
}

/// The body of a here-document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HereDoc {
    pub delimiter: String,
    pub strip_tabs: bool,
    /// Nothing in it is expanded.
    pub quoted: bool,
    pub body: String,
}

/// A whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub root: Node,
    pub here_docs: Vec<HereDoc>,
    /// Something in it could not be read.
    pub broken: bool,
}
