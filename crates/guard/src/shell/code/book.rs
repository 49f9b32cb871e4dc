//! What a language's names do, as data. Each language fills one `Book`.

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Computes; nothing is known of the result.
    Pure,
    Fold(Fold),
    /// The first argument goes to a shell; a list is an argv.
    Shell,
    /// One text goes to a shell, several are an argv.
    ShellOrArgv,
    /// All arguments, lists opened, are an argv.
    Argv,
    /// `execl(path, name, …)`: the second argument is only a name.
    ArgvNamed,
    /// The value itself is the command.
    BaseShell,
    Delete,
    DeleteTree,
    /// Deletes; an option says whether the whole tree.
    DeleteByOption,
    BaseDelete,
    BaseDeleteTree,
    /// Opens; the second argument is the mode.
    Open,
    /// Perl's `open(handle, mode, path)`.
    OpenHandle,
    BaseOpen,
    Read,
    BaseRead,
    Write,
    BaseWrite,
    /// Writes the place named second.
    WriteSecond,
    /// The place named first goes away, the second is written.
    Move,
    BaseMove,
    Network,
    /// A bare socket.
    Socket,
    Eval,
    /// Runs a file of the same language, or native code.
    Load,
    Import,
    Fork,
    Permissions,
    PermissionsSecond,
    BasePermissions,
    PowerOff,
    /// The first argument is the name of what is called with the rest.
    CallNamed,
    /// As `CallNamed`, but each element of the second argument is given in turn.
    MapOver,
    /// The value itself is what is called.
    BaseCall,
    /// Changes its own program or reaches what is not in the source: never pure, never understood.
    Opaque,
    /// Runs for ever, over and over.
    Endless,
    /// Reads the place named second.
    ReadSecond,
    /// Mode or owner of whole trees; the paths come second.
    PermissionsTree,
    /// A name turned into what it names: `method(:system)`.
    MethodObject,
    /// `array_filter(list, f)`.
    MapSecond,
    /// R's `parse(text = …)`: the text itself.
    ParseText,
    /// An object that starts its arguments: all of them are an argv.
    Starter,
    /// `exec` on something: a shell command if the source can start programs, else a regular expression's.
    MaybeShell,
    /// A system call by its number.
    SystemCall,
    Print(Printing),
    /// Everything below a folder.
    Walk,
    /// As `Walk`, in rows of folder, folders and files.
    WalkRows,
    /// The names in a folder.
    ListNames,
    /// Perl's `find` with a function for each file.
    FindFiles,
    /// Perl's `shift`.
    Shift,
    /// The home folder.
    Home,
    /// A variable of the environment by its name.
    Environment,
    /// `Thread(target=…, args=…)`.
    CallTarget,
    /// Starts a program; its arguments are in the options.
    StartOptions,
}

/// How texts are put together on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printing {
    /// One after the other.
    Plain,
    /// One after the other, and a line end.
    Line,
    /// Each on a line of its own.
    Lines,
    /// With spaces between, and a line end.
    Spaced,
    /// With tabs between, and a line end.
    Tabbed,
    /// The first is a pattern for the rest.
    Format,
}

/// A computation on constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// The value itself, or the first argument of a plain call; other texts beside it change it in ways not known.
    Same,
    /// As `Same`, but the machine decides what it really is: a pattern of files, a path made absolute.
    Located,
    /// As `JoinPath`, made absolute.
    Resolved,
    /// The first argument, whatever comes with it.
    First,
    /// Without white space at its ends.
    Trim,
    /// Without a line end.
    Chomp,
    /// `%41` and its kin decoded.
    Percent,
    Chr,
    /// All arguments as characters.
    Chrs,
    /// The value, or the first argument, joined: `sep.join(list)`.
    JoinList,
    /// `list.join(sep)`.
    ListJoin,
    /// `join(sep, …)`.
    JoinCall,
    JoinPath,
    Concat,
    Reverse,
    /// Perl's `reverse`: the arguments put together, back to front.
    ReverseAll,
    Base64,
    Hex,
    Rot13,
    Lower,
    Replace,
    /// As `Replace`, but only the first place.
    ReplaceFirst,
    Split,
    Format,
    Sprintf,
    Substring,
    /// `pack('H*', …)`.
    Pack,
    /// `unpack` of a text of its own kind.
    Unpack,
    /// `Buffer.from(text, 'base64')`, `bytes(…)`.
    Decode,
    GetAttribute,
    MapCall,
    Array,
}

/// What is known of one language.
pub(super) struct Book {
    pub(super) calls: &'static [(&'static str, Act)],
    /// Calls on a value rather than on a name.
    pub(super) methods: &'static [(&'static str, Act)],
    /// Names that only compute. `x.*` is everything in `x`.
    pub(super) pure: &'static [&'static str],
    pub(super) pure_methods: &'static [&'static str],
    /// Modules whose use is use of the network.
    pub(super) network: &'static [&'static str],
    /// Parts before a name that change nothing.
    pub(super) prefixes: &'static [&'static str],
}

impl Book {
    pub(super) fn bare<'n>(&self, mut name: &'n str) -> &'n str {
        while let Some(rest) = self.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)) {
            name = rest;
        }
        name
    }

    pub(super) fn call(&self, name: &str) -> Option<Act> {
        self.calls.iter().find(|(known, _)| *known == name).map(|&(_, act)| act)
    }

    pub(super) fn method(&self, name: &str) -> Option<Act> {
        self.methods
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, act)| act)
            .or_else(|| self.pure_methods.contains(&name).then_some(Act::Pure))
    }

    pub(super) fn is_pure(&self, name: &str) -> bool {
        self.pure.iter().any(|known| match known.strip_suffix(".*") {
            Some(module) => name
                .strip_prefix(module)
                .is_some_and(|rest| rest.is_empty() || (rest.starts_with('.') && stays_inside(rest))),
            None => *known == name,
        })
    }

    /// Whether something with this name has members that do more than compute.
    pub(super) fn has_acting_members(&self, name: &str) -> bool {
        self.calls.iter().any(|(known, act)| {
            !act.is_harmless() && known.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
        })
    }

    pub(super) fn is_network(&self, name: &str) -> bool {
        self.network.iter().any(|module| {
            name.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}

/// Whether a path inside a module stays there: modules show what they import, `random._os` for one.
fn stays_inside(rest: &str) -> bool {
    const WAYS_OUT: &[&str] = &[
        "os",
        "sys",
        "subprocess",
        "builtins",
        "importlib",
        "socket",
        "shutil",
        "io",
        "posix",
        "ctypes",
        "bltns",
    ];
    rest.split('.').count() <= 3
        && rest.split('.').skip(1).all(|part| !part.starts_with('_') && !WAYS_OUT.contains(&part))
}

/// For languages that are read without a book.
pub(super) static EMPTY: Book =
    Book { calls: &[], methods: &[], pure: &[], pure_methods: &[], network: &[], prefixes: &[] };
