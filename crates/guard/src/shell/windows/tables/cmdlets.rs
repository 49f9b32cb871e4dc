//! What PowerShell's cmdlets do.

use crate::shell::windows::Level::{self, Allow, Forbid, Moderate, Sensitive};

/// Cmdlet, words that must all stand in its arguments (alternatives parted by `|`), level, rule, why.
pub(in crate::shell::windows) struct Cmdlet(
    pub &'static str,
    pub &'static [&'static str],
    pub Level,
    pub &'static str,
    pub &'static str,
);

/// The first line that fits decides.
pub(in crate::shell::windows) const CMDLETS: &[Cmdlet] = &[
    Cmdlet("clear-disk|initialize-disk|reset-physicaldisk|remove-partition|format-volume|new-partition|set-partition|set-disk|remove-virtualdisk|remove-storagepool|resize-partition|optimize-storagepool|clear-storagediagnosticinfo", &[], Forbid, "win-disk", "Erases, formats or repartitions a disk"),
    Cmdlet("stop-computer|restart-computer", &[], Forbid, "win-power", "Shuts the machine down or restarts it"),
    Cmdlet("clear-eventlog|remove-eventlog|limit-eventlog", &[], Forbid, "win-defence", "Erases or shortens the event log"),
    Cmdlet("set-mppreference", &["disable|exclusion|submitsamplesconsent|mapsreporting|puaprotection|enablecontrolledfolderaccess|enablenetworkprotection|defaultaction"], Forbid, "win-defence", "Switches off the virus protection or parts of it"),
    Cmdlet("add-mppreference", &["exclusion", "c:\\|d:\\|*|.exe|.ps1|.dll|powershell|cmd|:\\|exclusionextension|exclusionprocess"], Forbid, "win-defence", "Takes a drive or programs out of the virus protection"),
    Cmdlet("remove-mppreference|uninstall-windowsfeature|disable-windowsoptionalfeature", &["defender|attacksurface"], Forbid, "win-defence", "Removes the virus protection"),
    Cmdlet("set-netfirewallprofile|set-netfirewallsetting", &["false|allow"], Forbid, "win-defence", "Switches off the firewall"),
    Cmdlet("disable-netfirewallrule|remove-netfirewallrule", &[], Forbid, "win-defence", "Takes away rules of the firewall"),
    Cmdlet("disable-computerrestore|remove-wbbackupset|remove-wbpolicy|remove-computerrestorepoint", &[], Forbid, "win-backups", "Switches off or deletes what the machine is restored from"),
    Cmdlet("stop-service|set-service|suspend-service|remove-service", &["windefend|eventlog|mpssvc|wscsvc|wuauserv|securityhealthservice|wdnissvc|sysmon|sense|bfe|vss|rpcss|samss|defender"], Forbid, "win-defence", "Stops a service that guards the machine"),
    Cmdlet("stop-process|debug-process", &["csrss|lsass|winlogon|wininit|services|smss|svchost|msmpeng"], Forbid, "win-critical", "Ends a process that Windows cannot run without"),
    Cmdlet("add-localgroupmember|add-adgroupmember|add-adprincipalgroupmembership", &["admin"], Forbid, "win-accounts", "Gives an account the rights of an administrator"),
    Cmdlet("disable-localuser|remove-localuser", &["administrator"], Forbid, "win-accounts", "Disables the administrator's account"),
    Cmdlet("remove-aduser|remove-adcomputer|remove-adobject|remove-adorganizationalunit|remove-adgroup", &[], Forbid, "win-accounts", "Deletes accounts or parts of the directory"),
    Cmdlet("disable-bitlocker|lock-bitlocker|clear-bitlockerautounlock|remove-bitlockerkeyprotector|clear-tpm", &[], Forbid, "win-disk", "Removes the protection of a drive or locks it"),
    Cmdlet("invoke-mimikatz|invoke-ninjacopy|get-gpppassword|out-minidump|invoke-kerberoast|invoke-dcsync|invoke-shellcode|invoke-powershelltcp|invoke-reflectivepeinjection|invoke-bloodhound|powercat|get-keystrokes", &[], Forbid, "win-secret-dump", "A tool of attack: takes passwords or opens the machine to others"),
    Cmdlet("disable-pnpdevice|uninstall-pnpdevice", &[], Forbid, "win-critical", "Takes devices away from the machine"),
    Cmdlet("get-credential|get-clipboard|get-storedcredential|get-vault|convertfrom-securestring|export-pfxcertificate|get-secret|unprotect-cmsmessage|get-history|get-bitlockervolume|get-adreplaccount", &[], Sensitive, "win-secret", "Shows what may be a secret"),
    Cmdlet("new-localuser|set-localuser|enable-localuser|disable-localuser|remove-localuser|add-localgroupmember|remove-localgroupmember|new-aduser|set-adaccountpassword|set-aduser", &[], Sensitive, "win-accounts", "Changes accounts"),
    Cmdlet("start-service|stop-service|restart-service|set-service|new-service|suspend-service|resume-service|remove-service", &[], Sensitive, "win-services", "Changes services"),
    Cmdlet("stop-process|wait-process|debug-process", &[], Sensitive, "win-processes", "Ends processes"),
    Cmdlet("register-scheduledtask|unregister-scheduledtask|set-scheduledtask|new-scheduledtask|new-scheduledtaskaction|new-scheduledtasktrigger|start-scheduledtask|disable-scheduledtask|enable-scheduledtask|register-scheduledjob|register-wmievent|register-objectevent|set-wmiinstance|register-cimindicationevent", &[], Sensitive, "win-persist", "Makes something run later or again and again"),
    Cmdlet("new-netfirewallrule|set-netfirewallrule|enable-netfirewallrule|set-dnsclientserveraddress|disable-netadapter|enable-netadapter|set-netadapter|restart-netadapter|new-netipaddress|remove-netroute|clear-dnsclientcache|set-netfirewallprofile|set-mppreference|add-mppreference", &[], Sensitive, "win-system", "Changes the network or its protection"),
    Cmdlet("set-executionpolicy|enable-psremoting|set-item|enable-windowsoptionalfeature|disable-windowsoptionalfeature|install-windowsfeature|uninstall-windowsfeature|rename-computer|add-computer|remove-computer|set-timezone|set-date|new-psdrive|mount-diskimage|dismount-diskimage|enable-computerrestore|checkpoint-computer|restore-computer|set-smbserverconfiguration|new-smbshare|grant-smbshareaccess|set-wsmanquickconfig|repair-volume|optimize-volume|set-volume|mount-windowsimage|set-bitlocker|suspend-bitlocker|enable-bitlocker|winrm", &[], Sensitive, "win-system", "Changes settings of the machine"),
    Cmdlet("install-module|install-package|install-script|uninstall-package|uninstall-module|update-module|save-module|remove-appxpackage|add-appxpackage|add-appxprovisionedpackage|remove-appxprovisionedpackage|update-help|register-psrepository", &[], Sensitive, "win-install", "Installs or removes software"),
    Cmdlet("send-mailmessage", &[], Sensitive, "win-network", "Sends mail"),
    Cmdlet("enter-pssession|new-pssession|connect-pssession|new-cimsession|enter-pshostprocess", &[], Sensitive, "win-network", "Works on another machine"),
    Cmdlet("set-acl", &[], Sensitive, "win-ownership", "Changes who may use files"),
    Cmdlet("import-module|add-type|update-typedata|import-pssession|add-pssnapin|invoke-history|invoke-pester|update-formatdata", &[], Sensitive, "win-runs", "Loads and runs other code"),
    Cmdlet("unblock-file|set-authenticodesignature|import-certificate|import-pfxcertificate|new-selfsignedcertificate|register-pssessionconfiguration|import-startlayout", &[], Sensitive, "win-system", "Changes what the machine trusts"),
    Cmdlet("remove-variable|new-variable|set-variable|set-alias|new-alias|set-strictmode|set-psdebug|clear-variable|remove-module|set-psreadlineoption|set-location|push-location|pop-location|start-sleep|clear-host|new-timespan|new-guid|get-random|out-null|set-culture|wait-job|receive-job|remove-job|measure-command|out-default", &[], Allow, "win-reads", "Changes only this session"),
    Cmdlet("start-transcript|stop-transcript|new-temporaryfile|out-printer|read-host|set-clipboard|show-command|write-eventlog|new-event|remove-psdrive|out-gridview|clear-recyclebin", &[], Moderate, "win-changes", "Changes something small"),
    Cmdlet("select-object|where-object|foreach-object|sort-object|group-object|measure-object|compare-object|format-list|format-table|format-wide|format-custom|format-hex|out-string|out-host|test-path|resolve-path|convert-path|split-path|join-path|convertto-json|convertfrom-json|convertto-csv|convertfrom-csv|convertto-html|convertto-xml|write-output|write-host|write-verbose|write-warning|write-error|write-information|write-debug|write-progress|select-string|select-xml|import-csv|tee-object-none|test-netconnection|test-connection|resolve-dnsname|new-object|find-module|find-package|show-eventlog|test-json|get-filehash|get-unique|convertfrom-stringdata|test-modulemanifest|convertto-securestring", &[], Allow, "win-reads", "Shows or shapes data"),
];

/// Cmdlets `Get-…` that are judged on their own elsewhere, and so are not simply reading.
pub(in crate::shell::windows) const METHODS_THAT_READ: &[&str] = &[
    "tostring", "tolower", "toupper", "tolowerinvariant", "toupperinvariant", "substring", "split", "trim", "trimstart", "trimend", "replace", "indexof", "lastindexof", "contains",
    "startswith", "endswith", "tochararray", "padleft", "padright", "insert", "remove", "gettype", "equals", "compareto", "getstring", "getbytes", "addays", "adddays",
    "addhours", "addminutes", "addmonths", "tojson", "count", "gethashcode", "where", "foreach", "containskey", "toarray", "tolocaltime", "touniversaltime",
    "toshortdatestring", "getenumerator", "normalize", "matches", "match", "ismatch", "isnullorempty", "isnullorwhitespace", "join", "concat", "format", "tobase64string",
    "frombase64string", "toint32", "tobyte", "parse", "tryparse", "round", "floor", "ceiling", "abs", "max", "min", "pow", "sqrt", "newguid", "combine",
    "getfilename", "getextension", "getdirectoryname", "getfilenamewithoutextension", "gettemppath", "getfullpath", "getfolderpath", "getlogicaldrives", "reverse", "tochar", "convertfromutf32", "exists", "getdrives", "getprocesses", "getencoding", "new", "gethostname", "toint16", "toint64", "isletter", "getfiles", "getdirectories",
];
