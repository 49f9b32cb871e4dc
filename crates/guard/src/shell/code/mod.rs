//! What a one-liner in another language would do: `python -c …`, `perl -e …`, `awk …`, `sed …` and their kin.
//!
//! The source is looked at, never run. Constants are folded, so that a command hidden by concatenation, encoding or
//! a variable is seen. What cannot be told is `unresolved`, and then the code is not `pure`.

mod apply;
mod arithmetic;
mod awk;
mod awk_token;
mod bare_call;
mod book;
mod calculator;
mod chain;
mod codec;
mod comprehension;
mod editor;
mod elixir;
mod engine;
mod fold;
mod functions;
mod groovy;
mod group;
mod home;
mod javascript;
mod julia;
mod literal;
mod loops;
mod lua;
mod make;
mod member;
mod mutation;
mod opening;
mod perl;
mod php;
mod printing;
mod python;
mod r;
mod ruby;
mod script;
mod sed;
mod sigil;
mod statement;
mod tcl;
mod token;
mod value;
mod world;

#[cfg(test)]
mod tests;

/// A language that an interpreter takes on its command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    Python,
    Perl,
    Ruby,
    JavaScript,
    Php,
    Lua,
    Awk,
    Sed,
    /// `ed` and `red`.
    Ed,
    /// `vim`, `nvim`, `vi` and `ex`: commands after a colon.
    Vim,
    /// Text of a Makefile.
    Make,
    AppleScript,
    /// Text for `sqlite3`, `psql` or `mysql`, their own commands included.
    Sql,
    Gdb,
    /// `tclsh`, `wish` and `expect`.
    Tcl,
    R,
    Jq,
    /// `bc` and `dc`.
    Calculator,
    /// Groovy, and Java as `jshell` takes it.
    Groovy,
    Julia,
    Elixir,
    /// Any other: nothing is known of it, so it is never pure.
    Other,
}

/// What a piece of code does, as far as can be told by looking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Command lines it hands to a shell.
    pub shell: Vec<String>,
    /// Programs it starts with a list of arguments.
    pub argvs: Vec<Vec<String>>,
    /// Paths it removes, and whether the whole tree.
    pub deletes: Vec<(String, bool)>,
    /// Paths it opens for writing.
    pub writes: Vec<String>,
    /// Paths it opens for reading.
    pub reads: Vec<String>,
    /// It uses the network.
    pub network: bool,
    /// Host names, addresses and URLs that stand in it, if it uses the network.
    pub hosts: Vec<String>,
    /// It runs what it fetched.
    pub downloads_and_runs: bool,
    /// It ties a shell to a socket.
    pub shell_over_socket: bool,
    /// It makes copies of itself without end.
    pub forks_forever: bool,
    /// It stops or restarts the machine by a system call.
    pub powers_off: bool,
    /// Paths whose mode or owner it changes, and whether the whole tree.
    pub changes_permissions: Vec<(String, bool)>,
    /// It starts programs, evaluates built code, loads native code or forks.
    pub executes: bool,
    /// It provably only computes and prints: everything it calls is known to.
    pub pure: bool,
    /// It provably only computes, prints, and reads the files named in `reads`.
    pub only_reads: bool,
    /// It builds commands, paths or code in a way that is not understood.
    pub unresolved: bool,
    /// All that it prints to standard output, if that is constant and it is sure to be printed. Options of the
    /// interpreter that loop over input or add line ends are not known here.
    pub prints: Option<String>,
}

impl Facts {
    /// Sets `pure` and `only_reads` from the rest.
    fn settle(&mut self, impure: bool) {
        let acts = !self.shell.is_empty()
            || !self.argvs.is_empty()
            || !self.deletes.is_empty()
            || !self.writes.is_empty()
            || !self.changes_permissions.is_empty()
            || self.network
            || self.downloads_and_runs
            || self.shell_over_socket
            || self.forks_forever
            || self.powers_off
            || self.executes
            || self.unresolved;
        self.only_reads = !impure && !acts;
        self.pure = self.only_reads && self.reads.is_empty();
    }

    /// Takes over what another piece of code does. `pure` is settled by the caller.
    fn absorb(&mut self, other: Facts) {
        self.shell.extend(other.shell);
        self.argvs.extend(other.argvs);
        self.deletes.extend(other.deletes);
        self.writes.extend(other.writes);
        self.reads.extend(other.reads);
        self.hosts.extend(other.hosts);
        self.changes_permissions.extend(other.changes_permissions);
        self.network |= other.network;
        self.downloads_and_runs |= other.downloads_and_runs;
        self.shell_over_socket |= other.shell_over_socket;
        self.forks_forever |= other.forks_forever;
        self.powers_off |= other.powers_off;
        self.executes |= other.executes;
        self.unresolved |= other.unresolved;
    }
}

/// Longer sources are not read.
const LONGEST: usize = 65_536;

/// What the source would do if its interpreter ran it.
///
/// Characters from U+E000 to U+E0FF stand for text that is not known.
pub fn inspect(language: Language, source: &str) -> Facts {
    inspect_within(language, source, 0)
}

/// As `inspect`, for a source that stands `depth` sources deep.
fn inspect_within(language: Language, source: &str, depth: usize) -> Facts {
    if source.len() > LONGEST || depth > 4 {
        return Facts { unresolved: true, executes: true, ..Facts::default() };
    }
    match language {
        Language::Python => engine::inspect(language, &python::BOOK, source),
        Language::Perl => engine::inspect(language, &perl::BOOK, source),
        Language::Ruby => engine::inspect(language, &ruby::BOOK, source),
        Language::JavaScript => engine::inspect(language, &javascript::BOOK, source),
        Language::Php => engine::inspect(language, &php::BOOK, source),
        Language::Lua => engine::inspect(language, &lua::BOOK, source),
        Language::R => engine::inspect(language, &r::BOOK, source),
        Language::Groovy => engine::inspect(language, &groovy::BOOK, source),
        Language::Julia => engine::inspect(language, &julia::BOOK, source),
        Language::Elixir => engine::inspect(language, &elixir::BOOK, source),
        Language::Awk => awk::inspect(source),
        Language::Sed => sed::inspect(source),
        Language::Ed => editor::inspect_ed(source),
        Language::Vim => editor::inspect_vim(source, depth),
        Language::Make => make::inspect(source),
        Language::AppleScript => script::inspect_applescript(source),
        Language::Sql => script::inspect_sql(source),
        Language::Gdb => script::inspect_gdb(source, depth),
        Language::Tcl => tcl::inspect(source),
        Language::Jq => script::inspect_jq(source),
        Language::Calculator => calculator::inspect(source),
        Language::Other => Facts { unresolved: true, ..Facts::default() },
    }
}

/// The language that a program of this name takes, version and path left aside.
pub fn language_of(program: &str) -> Option<Language> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name).to_ascii_lowercase();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    Some(match stem {
        "python" | "pypy" | "ipython" | "bpython" | "jython" | "micropython" | "py" | "pyw" | "pythonw" => {
            Language::Python
        }
        "perl" => Language::Perl,
        "ruby" | "jruby" | "irb" | "rubinius" | "mruby" | "truffleruby" => Language::Ruby,
        "node" | "nodejs" | "deno" | "bun" | "js" | "qjs" | "d" | "jjs" | "ts-node" | "tsx" => {
            Language::JavaScript
        }
        "php" | "php-cli" | "php-cgi" => Language::Php,
        "lua" | "luajit" | "luau" | "texlua" => Language::Lua,
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" | "goawk" | "bwk" => Language::Awk,
        "sed" | "gsed" | "ssed" | "minised" => Language::Sed,
        "ed" | "red" => Language::Ed,
        "vim" | "vi" | "nvim" | "ex" | "view" | "gvim" | "vimdiff" | "rvim" | "rview" | "vim.basic"
        | "vim.tiny" | "nvi" | "elvis" => Language::Vim,
        "make" | "gmake" | "bmake" | "remake" => Language::Make,
        "osascript" => Language::AppleScript,
        "sqlite" | "psql" | "mysql" | "mariadb" | "duckdb" | "sqlcipher" => Language::Sql,
        "gdb" | "lldb" | "gdb-multiarch" => Language::Gdb,
        "tclsh" | "wish" | "expect" | "jimsh" => Language::Tcl,
        "r" | "rscript" | "littler" => Language::R,
        "jq" | "gojq" | "jaq" | "yq" => Language::Jq,
        "bc" | "dc" => Language::Calculator,
        "groovy" | "groovysh" | "jshell" | "scala" | "kotlin" => Language::Groovy,
        "julia" => Language::Julia,
        "elixir" | "iex" => Language::Elixir,
        "ghci" | "ghc" | "guile" | "emacs" | "sbcl" | "clisp" | "racket" | "erl" | "octave" | "swipl"
        | "gnuplot" | "scheme" | "ocaml" | "clojure" | "raku" | "m" | "mongo" | "mongosh" | "redis-cli" => {
            Language::Other
        }
        _ => return None,
    })
}
