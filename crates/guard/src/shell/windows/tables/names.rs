//! Names that tell Windows text from other text, and names that stand for others.

/// Commands that `cmd` has built in.
pub(in crate::shell::windows) const BUILTINS: &[&str] = &[
    "assoc", "break", "call", "cd", "chdir", "cls", "color", "copy", "date", "del", "dir", "echo", "endlocal", "erase", "exit",
    "for", "ftype", "goto", "if", "md", "mkdir", "mklink", "move", "path", "pause", "popd", "prompt", "pushd", "rd", "rem",
    "ren", "rename", "rmdir", "set", "setlocal", "shift", "start", "time", "title", "type", "ver", "verify", "vol",
];

/// Built-in commands that no other system has under this name with arguments like these.
pub(in crate::shell::windows) const ONLY_CMD: &[&str] = &["del", "erase", "rd", "copy", "move", "ren", "mklink", "md", "cls", "ver"];

/// Programs that exist on Windows only.
pub(in crate::shell::windows) const ONLY_WINDOWS: &[&str] = &[
    "attrib", "auditpol", "bcdedit", "bcdboot", "bitsadmin", "bootrec", "bootsect", "cacls", "certoc", "certreq", "chkdsk", "cmdkey",
    "cmstp", "cscript", "defrag", "diskpart", "diskshadow", "dism", "driverquery", "esentutl", "extrac32", "findstr", "fltmc", "forfiles",
    "fsutil", "ftype", "getmac", "gpresult", "gpupdate", "icacls", "installutil", "ipconfig", "logoff", "makecab", "manage-bde", "mimikatz",
    "mountvol", "mpcmdrun", "mshta", "msiexec", "nbtstat", "netsh", "nltest", "ntdsutil", "odbcconf", "pathping", "pcalua", "pnputil",
    "powercfg", "procdump", "procdump64", "psexec", "pskill", "qwinsta", "reagentc", "reg", "regasm", "regedit", "regini", "regsvcs",
    "regsvr32", "robocopy", "rundll32", "runas", "sc", "schtasks", "sdelete", "secedit", "setx", "sfc", "systeminfo", "takeown", "taskkill",
    "tasklist", "tracert", "tskill", "tsdiscon", "vaultcmd", "vssadmin", "wbadmin", "wevtutil", "winget", "choco", "scoop", "wmic", "wscript", "xcopy", "xcacls",
    "dsrm", "systemreset", "wpeutil", "psshutdown", "rdrleakdiag", "hh", "winrm", "winrs", "usoclient", "wuauclt", "quser",
];

/// Programs that exist elsewhere too, and are Windows' own with one of these arguments (or their beginnings).
pub(in crate::shell::windows) const WINDOWS_WITH: &[(&str, &[&str])] = &[
    ("certutil", &["-urlcache", "/urlcache", "-decode", "-encode", "-hashfile", "-verifyctl", "-f", "/f", "-split", "-ping"]),
    ("net", &["user", "localgroup", "group", "stop", "start", "share", "use", "accounts", "view", "session"]),
    ("net1", &["user", "localgroup", "stop", "start"]),
    ("shutdown", &["/", "-s", "-g", "-p", "-l", "-a", "-f", "-i"]),
    ("cipher", &["/"]),
    ("cmd", &["/"]),
    ("find", &["/v", "/c", "/n", "/i"]),
    ("sort", &["/r", "/o", "/+"]),
    ("tree", &["/f", "/a"]),
    ("date", &["/t"]),
    ("time", &["/t"]),
    ("more", &["/e", "/c", "/s"]),
    ("whoami", &["/"]),
    ("where", &["/r", "/q"]),
    ("timeout", &["/t"]),
    ("cd", &["/d"]),
    ("start", &["/", "\"\""]),
    ("rmdir", &["/s", "/q"]),
    ("mkdir", &[".\\", "%"]),
    ("route", &["print"]),
    ("label", &["c:", "d:"]),
    ("expand", &["-r", "\\\\"]),
    ("powershell", &["-", "/", "&", "\"", "{", "iex", "invoke", "remove", "get", "set", "start", "stop", "("]),
    ("pwsh", &["-c", "-e", "-f", "-n", "-w", "-sta", "/c", "&", "\""]),
    ("wsl", &["-", "rm", "bash", "sh"]),
    ("dir", &["/a", "/b", "/s", "/w", "/o", "/p", "/q", "/r", "/x", "/t:", "/n"]),
];

/// Aliases and short names that only PowerShell has.
pub(in crate::shell::windows) const ONLY_POWERSHELL: &[&str] = &[
    "iwr", "irm", "gci", "gcm", "gwmi", "gcim", "icim", "iwmi", "saps", "spps", "spsv", "sasv", "gps", "gsv", "gip", "ogv", "icm",
    "nsn", "etsn", "ipmo", "rvpa", "gal", "clc", "rni", "mi", "ihy", "ndr", "ipcsv", "epcsv", "rwmi", "swmi", "gtz", "gcb", "scb",
];

/// What PowerShell's aliases stand for.
pub(in crate::shell::windows) const ALIASES: &[(&str, &str)] = &[
    ("rm", "remove-item"), ("del", "remove-item"), ("erase", "remove-item"), ("rd", "remove-item"), ("ri", "remove-item"), ("rmdir", "remove-item"),
    ("ls", "get-childitem"), ("dir", "get-childitem"), ("gci", "get-childitem"), ("gi", "get-item"), ("gp", "get-itemproperty"),
    ("cat", "get-content"), ("gc", "get-content"), ("type", "get-content"), ("sc", "set-content"), ("ac", "add-content"), ("clc", "clear-content"),
    ("sp", "set-itemproperty"), ("rp", "remove-itemproperty"), ("ni", "new-item"), ("md", "new-item"), ("mkdir", "new-item"), ("cli", "clear-item"),
    ("cp", "copy-item"), ("copy", "copy-item"), ("cpi", "copy-item"), ("mv", "move-item"), ("move", "move-item"), ("mi", "move-item"),
    ("ren", "rename-item"), ("rni", "rename-item"), ("ii", "invoke-item"), ("si", "set-item"),
    ("iwr", "invoke-webrequest"), ("curl", "invoke-webrequest"), ("wget", "invoke-webrequest"), ("irm", "invoke-restmethod"),
    ("iex", "invoke-expression"), ("icm", "invoke-command"), ("ihy", "invoke-history"), ("r", "invoke-history"),
    ("kill", "stop-process"), ("spps", "stop-process"), ("saps", "start-process"), ("start", "start-process"), ("ps", "get-process"), ("gps", "get-process"),
    ("gsv", "get-service"), ("sasv", "start-service"), ("spsv", "stop-service"), ("sajb", "start-job"), ("gjb", "get-job"),
    ("sal", "set-alias"), ("nal", "new-alias"), ("gal", "get-alias"), ("gcm", "get-command"), ("sv", "set-variable"), ("set", "set-variable"), ("nv", "new-variable"),
    ("gv", "get-variable"), ("rv", "remove-variable"), ("gm", "get-member"), ("gu", "get-unique"), ("gl", "get-location"), ("pwd", "get-location"),
    ("sl", "set-location"), ("cd", "set-location"), ("chdir", "set-location"), ("pushd", "push-location"), ("popd", "pop-location"),
    ("select", "select-object"), ("where", "where-object"), ("?", "where-object"), ("%", "foreach-object"), ("foreach", "foreach-object"),
    ("sort", "sort-object"), ("group", "group-object"), ("measure", "measure-object"), ("compare", "compare-object"), ("diff", "compare-object"), ("tee", "tee-object"),
    ("sls", "select-string"), ("fl", "format-list"), ("ft", "format-table"), ("fw", "format-wide"), ("fc", "format-custom"), ("oh", "out-host"), ("lp", "out-printer"),
    ("echo", "write-output"), ("write", "write-output"), ("cls", "clear-host"), ("clear", "clear-host"), ("h", "get-history"), ("history", "get-history"),
    ("gwmi", "get-wmiobject"), ("iwmi", "invoke-wmimethod"), ("rwmi", "remove-wmiobject"), ("gcim", "get-ciminstance"), ("icim", "invoke-cimmethod"), ("rcim", "remove-ciminstance"),
    ("gcb", "get-clipboard"), ("scb", "set-clipboard"), ("sleep", "start-sleep"), ("rvpa", "resolve-path"), ("cvpa", "convert-path"), ("gin", "get-computerinfo"),
    ("nsn", "new-pssession"), ("etsn", "enter-pssession"), ("ipmo", "import-module"), ("ipcsv", "import-csv"), ("epcsv", "export-csv"), ("ndr", "new-psdrive"), ("mount", "new-psdrive"),
    ("man", "get-help"), ("help", "get-help"), ("gip", "get-netipconfiguration"), ("gerr", "get-error"), ("ogv", "out-gridview"), ("gdr", "get-psdrive"), ("gtz", "get-timezone"), ("shcm", "show-command"), ("stz", "set-timezone"),
];

/// Verbs that cmdlets begin with.
pub(in crate::shell::windows) const VERBS: &[&str] = &[
    "add", "approve", "backup", "block", "checkpoint", "clear", "close", "compare", "complete", "compress", "confirm", "connect", "convert", "convertfrom",
    "convertto", "copy", "debug", "disable", "disconnect", "dismount", "enable", "enter", "exit", "expand", "export", "find", "format", "get", "grant",
    "group", "hide", "import", "initialize", "install", "invoke", "join", "limit", "lock", "measure", "merge", "mount", "move", "new", "open", "optimize",
    "out", "ping", "pop", "protect", "publish", "push", "read", "receive", "redo", "register", "remove", "rename", "repair", "request", "reset", "resize",
    "resolve", "restart", "restore", "resume", "revoke", "save", "search", "select", "send", "set", "show", "skip", "sort", "split", "start", "step", "stop",
    "submit", "suspend", "switch", "sync", "tee", "test", "trace", "unblock", "undo", "uninstall", "unlock", "unpublish", "unregister", "update", "use",
    "wait", "watch", "where", "write", "foreach",
];
