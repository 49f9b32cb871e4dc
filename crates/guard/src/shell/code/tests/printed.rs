//! What is printed is told when, and only when, all of it is constant.

use super::*;

const RM: &str = "rm -rf /";

/// Each prints `rm -rf /` and the end given.
const PRINTS: &[(Language, &str, &str)] = &[
    (Python, "print('rm -rf /')", "\n"),
    (Python, "print('rm', '-rf', '/')", "\n"),
    (Python, "print('rm','-rf /',sep=' ',end='')", ""),
    (Python, "import sys; sys.stdout.write('rm -rf /')", ""),
    (Python, "print(chr(114)+'m -rf /')", "\n"),
    (Python, "print(''.join(map(chr,[114,109,32,45,114,102,32,47])))", "\n"),
    (Python, "import base64; print(base64.b64decode('cm0gLXJmIC8=').decode())", "\n"),
    (Python, "a='rm'; print(f'{a} -rf /')", "\n"),
    (Python, "print('%s -rf /' % 'rm')", "\n"),
    (Python, "print('rm', end=' '); print('-rf /')", "\n"),
    (Python, "exec(\"print('rm -rf /')\")", "\n"),
    (Perl, "print 'rm -rf /'", ""),
    (Perl, "print \"rm -rf /\\n\"", "\n"),
    (Perl, "say 'rm -rf /'", "\n"),
    (Perl, "print('rm', ' -rf /')", ""),
    (Perl, "printf '%s -rf %s', 'rm', '/'", ""),
    (Perl, "print STDOUT 'rm -rf /'", ""),
    (Perl, "print pack('H*','726d202d7266202f')", ""),
    (Perl, "print scalar reverse '/ fr- mr'", ""),
    (Perl, "my @c = ('rm', ' -rf /'); print @c", ""),
    (Ruby, "puts 'rm -rf /'", "\n"),
    (Ruby, "puts \"rm -rf /\\n\"", "\n"),
    (Ruby, "print 'rm -rf /'", ""),
    (Ruby, "$stdout.puts 'rm -rf /'", "\n"),
    (Ruby, "STDOUT.write('rm -rf /')", ""),
    (Ruby, "puts 'cm0gLXJmIC8='.unpack1('m')", "\n"),
    (Ruby, "printf('%s -rf /', 'rm')", ""),
    (JavaScript, "console.log('rm -rf /')", "\n"),
    (JavaScript, "console.log('rm', '-rf', '/')", "\n"),
    (JavaScript, "process.stdout.write('rm -rf /')", ""),
    (JavaScript, "console.log(String.fromCharCode(114,109)+' -rf /')", "\n"),
    (JavaScript, "console.log(atob('cm0gLXJmIC8='))", "\n"),
    (JavaScript, "console.log(decodeURIComponent('%72m%20-rf /'))", "\n"),
    (Php, "echo 'rm -rf /';", ""),
    (Php, "echo 'rm', ' -rf /', PHP_EOL;", "\n"),
    (Php, "print('rm -rf /');", ""),
    (Php, "printf('%s -rf /', 'rm');", ""),
    (Php, "echo base64_decode('cm0gLXJmIC8=');", ""),
    (Perl, "print chr(0162).'m -rf /'", ""),
    (Lua, "print('rm -rf /')", "\n"),
    (Lua, "io.write('rm', ' -rf /')", ""),
    (Lua, "io.stdout:write('rm -rf /')", ""),
    (Awk, "BEGIN{print \"rm -rf /\"}", "\n"),
    (Awk, "BEGIN { print \"rm\", \"-rf\", \"/\" }", "\n"),
    (Awk, "BEGIN{printf \"%s -rf /\", \"rm\"; exit}", ""),
    (Awk, "BEGIN{x=\"rm\"; print x \" -rf /\"}", "\n"),
];

/// What they print depends on something, or goes elsewhere, or nothing is printed.
const UNTOLD: &[(Language, &str)] = &[
    (Python, "x = 1"),
    (Python, "print(input())"),
    (Python, "print(open('x').read())"),
    (Python, "import sys; print('rm -rf /', file=sys.stderr)"),
    (Python, "if 1: print('x')"),
    (Python, "for i in range(3): print('x')"),
    (Python, "[print('x') for i in range(3)]"),
    (Python, "def f(): print('x')"),
    (Python, "f = lambda: print('x')"),
    (Python, "print('rm -rf /'); exit(); print(' --help')"),
    (Python, "print('rm -rf /', end=''); 1/0; print(' --help')"),
    (Python, "import os; print('x'); os.system('echo rm -rf /')"),
    (Python, "x=['ls']; x[0]='rm -rf /'; print(x[0])"),
    (Python, "x=['ls','rm -rf /']; x.reverse(); print(x[0])"),
    (Python, "print('xrm -rf /'.strip('x'))"),
    (Python, "print('{:r<1}m -rf /'.format(''))"),
    (Python, "print(f\"{'':r<1}m -rf /\")"),
    (Python, "import os; print(os.environ['HOME'])"),
    (Python, "print('x' if a else 'y')"),
    (Python, "import sys; sys.stdout = sys.stderr; print('x')"),
    (Python, "import glob; print(glob.glob('*'))"),
    (Python, "import os; print(os.path.abspath('x'))"),
    (JavaScript, "console.log(require('path').resolve('x'))"),
    (Python, "print(f'{\"rm\"!r}')"),
    (Python, "print(b'rm')"),
    (Python, "import base64; print(base64.b64decode('cm0gLXJmIC8='))"),
    (Python, "print('aa'.replace('a','r',1))"),
    (Python, "assert 0; print('x')"),
    (Perl, "$_='ls'; tr/a-z/b-y/; print $_"),
    (Perl, "print \"\\Urm\""),
    (Perl, "$x='ls'; $y=\\$x; $$y='rm'; print $x"),
    (Perl, "print 'a' + 'b'"),
    (Php, "$x='ls'; $y=&$x; $y='rm'; echo $x;"),
    (Ruby, "puts 'abc'[0,2]"),
    (JavaScript, "console.log('a'.replace('a','$&b'))"),
    (JavaScript, "console.log('3'*'2')"),
    (Julia, "println(\"a$(x)\")"),
    (Awk, "BEGIN{print 1e3}"),
    (Perl, "print"),
    (Perl, "print STDERR 'x'"),
    (Perl, "print 'x' if /y/"),
    (Perl, "print 'x' for 1..3"),
    (Perl, "print 'rm -rf /'; exit; print ' --help'"),
    (Perl, "END { print 'x' } print 'y'"),
    (Perl, "$, = ' -rf '; print 'rm', '/'"),
    (Perl, "$\\ = 'x'; print 'y'"),
    (Perl, "print 'rm -rf /'\n__END__\n; print ' --help'"),
    (Perl, "print 'a'; print `ls`"),
    (Ruby, "3.times { puts 'x' }"),
    (Ruby, "puts gets"),
    (Ruby, "x = 'l'; x << 's'; puts x"),
    (Ruby, "puts 'aab'.sub('a', '').foo"),
    (JavaScript, "console.log('%s', 'x')"),
    (JavaScript, "setTimeout(() => console.log('x'), 1)"),
    (JavaScript, "x=['ls','rm -rf /']; x.reverse(); console.log(x[0])"),
    (JavaScript, "let x=113; x++; console.log(String.fromCharCode(x))"),
    (JavaScript, "console.log(Buffer.from('x').toString('base64'))"),
    (JavaScript, "console.log(process.argv[2])"),
    (Php, "echo $argv[1];"),
    (Php, "echo 'rm -rf /'; exit; echo ' --help';"),
    (Lua, "print(io.read())"),
    (Awk, "{print \"x\"}"),
    (Awk, "BEGIN{print \"x\" > \"/dev/stderr\"}"),
    (Awk, "BEGIN{if (1) print \"x\"}"),
    (Awk, "BEGIN{OFS=\"-\"; print \"a\", \"b\"}"),
    (Awk, "BEGIN{print ENVIRON[\"X\"]}"),
    (Awk, "BEGIN{print \"x\"} {print \"y\"}"),
    (Sed, "s/a/b/"),
];

#[test]
fn constant_output_is_told() {
    for (language, source, end) in PRINTS {
        let facts = inspect(*language, source);
        assert_eq!(facts.prints, Some(format!("{RM}{end}")), "{language:?}: {source}\n{facts:?}");
    }
}

#[test]
fn first_replacement_is_told_from_all() {
    assert_eq!(inspect(JavaScript, "console.log('aab'.replace('a',''))").prints, Some("ab\n".into()));
    assert_eq!(inspect(JavaScript, "console.log('aab'.replaceAll('a',''))").prints, Some("b\n".into()));
    assert_eq!(inspect(Ruby, "puts 'aab'.sub('a','')").prints, Some("ab\n".into()));
    assert_eq!(inspect(Python, "print('aab'.replace('a',''))").prints, Some("b\n".into()));
    assert_eq!(inspect(JavaScript, "console.log(['a','b'].join())").prints, Some("a,b\n".into()));
    assert_eq!(
        inspect(Python, "print('%.2s|%3s|%-3s|' % ('rmx', 'a', 'b'))").prints,
        Some("rm|  a|b  |\n".into())
    );
}

#[test]
fn output_that_depends_is_not_told() {
    for (language, source) in UNTOLD {
        let facts = inspect(*language, source);
        assert_eq!(facts.prints, None, "{language:?}: {source}");
    }
}
