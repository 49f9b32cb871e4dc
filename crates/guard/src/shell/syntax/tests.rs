//! What a text is read as, in a short form: `[a b]` a command, `|` a pipe, `( )` a subshell, `$…` a substitution.

use super::*;

fn word(word: &Word) -> String {
    word.iter()
        .map(|unit| match unit {
            Unit::Bare(c) | Unit::Quoted(c) => c.to_string(),
            Unit::Empty => "''".to_owned(),
            Unit::Sub { sub, .. } => match &**sub {
                Sub::Param(param) => format!("${{{}}}", param.name),
                Sub::Command(text) => format!("$({text})"),
                Sub::Process { text, input } => format!("{}({text})", if *input { '<' } else { '>' }),
                Sub::Arithmetic(text) => format!("$(({text}))"),
            },
        })
        .collect()
}

fn words(words: &[Word]) -> String {
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn redirects(redirects: &[Redirect], script: &Script) -> String {
    redirects
        .iter()
        .map(|redirect| {
            let target = match &redirect.target {
                Target::Word(target) => word(target),
                Target::HereDoc(at) => format!("{:?}", script.here_docs[*at].body),
            };
            format!(" {}{:?}:{target}", redirect.fd.as_deref().unwrap_or_default(), redirect.op)
        })
        .collect::<Vec<_>>()
        .concat()
}

fn node(shown: &Node, script: &Script) -> String {
    let all = |nodes: &[Node], between: &str| {
        nodes.iter().map(|part| node(part, script)).collect::<Vec<_>>().join(between)
    };
    match shown {
        Node::Simple(simple) => {
            let assigns: String = simple
                .assigns
                .iter()
                .map(|assign| match &assign.value {
                    Value::Scalar(value) => format!("{}={} ", assign.name, word(value)),
                    Value::Array(values) => format!("{}=({}) ", assign.name, words(values)),
                })
                .collect();
            format!("[{assigns}{}{}]", words(&simple.words), redirects(&simple.redirects, script))
        }
        Node::Pipeline(parts) => all(parts, " | "),
        Node::Sequence(parts) => all(parts, "; "),
        Node::Background(part) => format!("{} &", node(part, script)),
        Node::Subshell(part) => format!("({})", node(part, script)),
        Node::If(parts) => format!("if {}", all(parts, " / ")),
        Node::While { condition, body } => {
            format!("while {} do {}", node(condition, script), node(body, script))
        }
        Node::For { name, words: list, body } => {
            format!("for {name} in {} do {}", words(list.as_deref().unwrap_or_default()), node(body, script))
        }
        Node::ForArithmetic { text, body } => format!("for (({text})) do {}", node(body, script)),
        Node::Case { word: value, items } => {
            let items: Vec<String> = items
                .iter()
                .map(|(patterns, body)| format!("{}) {}", words(patterns), node(body, script)))
                .collect();
            format!("case {} {}", word(value), items.join(";; "))
        }
        Node::Function { name, body } => format!("{name}() {}", node(body, script)),
        Node::Test(list) => format!("test {}", words(list)),
        Node::Arithmetic(text) => format!("(({text}))"),
        Node::Redirected { node: part, redirects: list } => {
            format!("{{{}{}}}", node(part, script), redirects(list, script))
        }
    }
}

#[test]
fn texts_are_read_as_bash_reads_them() {
    for (text, read) in [
        ("ls -l", "[ls -l]"),
        ("a; b && c || d", "[a]; [b]; [c]; [d]"),
        ("a | b |& c", "[a] | [b] | [c]"),
        ("a & b", "[a] &; [b]"),
        ("(a; b) | c", "([a]; [b]) | [c]"),
        ("{ a; b; } > f", "{[a]; [b] Output:f}"),
        ("! a", "[a]"),
        // Comments are such only where a word starts.
        ("a # b\nc", "[a]; [c]"),
        ("a#b '#c' \\#d", "[a#b #c #d]"),
        ("a\r#b", "[a\r#b]"),
        // Quotes and escapes.
        (r#"a'b'"c"\d"#, "[abcd]"),
        (r#"a "b 'c'" 'd "e"' "#, "[a b 'c' d \"e\"]"),
        (r#"a "" '' $''"#, "[a '' '' '']"),
        (r#"a "\$x \" \n""#, r#"[a $x " \n]"#),
        (r"a $'\x72\155\t\u00e9'", "[a rm\té]"),
        ("a\\\nb", "[ab]"),
        (r#""$(echo "a b" 'c)')" "#, r#"[$(echo "a b" 'c)')]"#),
        ("`a \\`b\\``", "[$(a `b`)]"),
        // Substitutions.
        ("$(case x in x) echo;; esac)", "[$(case x in x) echo;; esac)]"),
        ("$((1 + (2)))", "[$((1 + (2)))]"),
        ("$( (a) )", "[$( (a) )]"),
        ("a <(b) >(c)", "[a <(b) >(c)]"),
        ("a ${x:-${y}} $1 $@", "[a ${x} ${1} ${@}]"),
        // Assignments and arrays.
        ("a=1 b+=2 c d=3", "[a=1 b=2 c d=3]"),
        ("a=(1 '2 3' $x)", "[a=(1 2 3 ${x}) ]"),
        ("a[1]=x", "[a=x ]"),
        ("declare -a a=(1 2)", "[a=(1 2) declare -a]"),
        // Compound commands.
        ("if a; then b; elif c; then d; else e; fi", "if [a] / [b] / [c] / [d] / [e]"),
        ("while a; do b; done", "while [a] do [b]"),
        ("for x in 1 2; do a; done", "for x in 1 2 do [a]"),
        ("for ((i=0;;)); do a; done", "for ((i=0;;)) do [a]"),
        ("case $x in a|b) c;; *) d;; esac", "case ${x} a b) [c];; *) [d]"),
        ("[[ -f a && b < c ]]", "test -f a & & b < c"),
        ("((x > 1))", "((x > 1))"),
        ("f() { a; }; function g { b; }", "f() [a]; g() [b]"),
        ("f() (a)", "f() ([a])"),
        // Redirections.
        ("a > b 2>&1 < c", "[a Output:b 2Copy:1 Input:c]"),
        ("a >> b &> c >& d", "[a Append:b OutputAll:c OutputAll:d]"),
        ("a {fd}> b 3<> c", "[a {fd}Output:b 3Both:c]"),
        ("> a b", "[b Output:a]"),
        ("a <<< 'b c'", "[a HereString:b c]"),
        // Here-documents.
        ("a <<E\nx\nE\nb", "[a HereDoc:\"x\\n\"]; [b]"),
        ("a <<E <<F\nx\nE\ny\nF", "[a HereDoc:\"x\\n\" HereDoc:\"y\\n\"]"),
        ("a <<E | b\nx\nE\nc", "[a HereDoc:\"x\\n\"] | [b]; [c]"),
        ("a <<-E\n\tx\n\tE\nb", "[a HereDoc:\"x\\n\"]; [b]"),
        ("a <<'E'\n$x\nE", "[a HereDoc:\"$x\\n\"]"),
    ] {
        let script = parse(text);
        assert!(!script.broken, "{text:?} cannot be read");
        assert_eq!(node(&script.root, &script), read, "{text:?}");
    }
}

#[test]
fn what_has_no_end_is_said_to_be_broken() {
    for text in [
        "a 'b",
        "a \"b",
        "a $(b",
        "a `b",
        "a ${b",
        "(a",
        "a)",
        "{ a",
        "if a",
        "if a; then b",
        "for x in a",
        "case x in",
        "[[ a",
        "a; done",
        "f(",
        "a=(",
        "$'a",
        "a <",
        "a ((b",
    ] {
        assert!(parse(text).broken, "{text:?} is read as if it were whole");
    }
}

#[test]
fn the_two_readers_agree_on_plain_commands_and_not_on_others() {
    for (text, commands, agrees) in [
        ("ls -l | wc -l", 2, true),
        ("if true; then ls; fi", 2, true),
        ("[ -f a ] && cat a", 2, true),
        ("export A=1; ls", 2, true),
        ("ls -l", 2, false),
        ("ls (", 1, false),
        ("ls 'a", 1, false),
    ] {
        assert_eq!(grammar::agrees(text, commands), agrees, "{text}");
    }
}
