//! What words become: each row is a script and what it would print.

use std::path::Path;

use crate::shell::{
    Setting,
    knowledge::Knowledge,
    read::Reading,
    text::{HOLE, globs_as_text, is_known},
};

fn printed(script: &str) -> String {
    let workspace = Path::new("/home/ada/project");
    let setting = Setting { cwd: workspace, home: Some(Path::new("/home/ada")), workspaces: &[workspace] };
    let mut reading = Reading::new(Knowledge::built_in(), &setting);
    globs_as_text(&reading.run_text(script, None))
}

#[test]
fn words_become_what_bash_makes_of_them() {
    for (script, text) in [
        // Braces.
        ("echo {a,b}c", "ac bc"),
        ("echo a{b,c{d,e}}", "ab acd ace"),
        ("echo {1..4} {a..c} {4..1..2}", "1 2 3 4 a b c 4 2"),
        ("echo {a} {a,} '{a,b}' \\{a,b}", "{a} a {a,b} {a,b}"),
        // The tilde.
        ("echo ~ ~/x a~ '~'", "/home/ada /home/ada/x a~ ~"),
        ("x=~/y; echo $x", "/home/ada/y"),
        // Parameters and their operators.
        ("x=ab; echo $x ${x}c \"$x\" '$x'", "ab abc ab $x"),
        ("echo ${x:-d} ${x-d}", "d d"),
        ("x=; echo [${x:-d}] [${x-d}]", "[d] []"),
        ("echo ${x:=d} $x", "d d"),
        ("x=a; echo ${x:+b} ${y:+c}.", "b ."),
        ("x=abcdef; echo ${#x} ${x:2} ${x:1:2} ${x: -2} ${x:1:-1}", "6 cdef bc ef bcde"),
        ("x=a.b.c; echo ${x#*.} ${x##*.} ${x%.*} ${x%%.*}", "b.c c a.b a"),
        ("x=aXbX; echo ${x/X/-} ${x//X/-} ${x/#a/-} ${x/%X/-}", "a-bX a-b- -XbX aXb-"),
        ("x=aXbX; echo ${x//[A-Z]/.}", "a.b."),
        ("x=aB; echo ${x^} ${x^^} ${x,,} ${x@U} ${x@Q}", "AB AB ab AB 'aB'"),
        ("x='\\162m'; echo ${x@E}", "rm"),
        ("x=y; y=z; echo ${!x}", "z"),
        ("set -- a b 'c d'; echo $# $2 \"$3\"", "3 b c d"),
        ("a=(x y z); echo ${a[1]} ${#a[@]} ${a[@]:1} ${a[*]}", "y 3 y z x y z"),
        ("a=(x); a+=(y); echo ${a[@]}", "x y"),
        ("x=a; x+=b; echo $x", "ab"),
        // Splitting.
        ("x='a  b'; echo $x; echo \"$x\"", "a b\na  b"),
        ("IFS=,; x=a,b; echo $x", "a b"),
        ("x='a b'; printf '<%s>' $x \"$x\"", "<a><b><a b>"),
        // Arithmetic.
        ("x=3; echo $((x * 2 + 1)) $[1+1] $((0x10)) $((2**3))", "7 2 16 8"),
        // Commands.
        ("echo $(echo a; echo b) `echo c`", "a b c"),
        ("f() { echo \"$1-$2\"; }; f a b", "a-b"),
        ("cat <<E\n$((1+1)) $(echo x) \\$y\nE", "2 x $y"),
        ("cat <<'E'\n$(echo x)\nE", "$(echo x)"),
        ("cat <<< \"a $(echo b)\"", "a b"),
        ("read a b <<< 'x y z'; echo $b", "y z"),
        ("printf -v x '%s-' a b; echo $x", "a-b-"),
        ("for x in a b; do echo $x; done", "a\nb"),
    ] {
        assert_eq!(printed(script).trim_end(), text, "{script}");
    }
}

#[test]
fn what_cannot_be_told_is_a_hole() {
    for script in [
        "echo $unset",
        "echo $RANDOM",
        "echo ${x@A}",
        "x=1; echo ${x@A}",
        "echo $(date)",
        "echo $((unset / 0))",
        "printf '%q' 'a b'",
        "printf '%5s' a",
        "printf 'b\\na\\n' | sort",
        "echo abc | tr -cd a",
    ] {
        let text = printed(script);
        assert!(!is_known(&text) && text.contains(HOLE), "{script}: {text:?}");
    }
}
