//! What is masked, what is not, and what holds for every text. Keys are put together at run time, so that no
//! scanner takes this file for a leak.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn mask(text: &str) -> String {
    SecretScreener.mask_text(text).into_string()
}

/// `n` characters that look like chance.
fn chance(alphabet: &str, n: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 7_usize;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
            letters[(state >> 8) % letters.len()]
        })
        .collect()
}

fn alnum(n: usize) -> String {
    format!("a1{}", chance("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", n - 2))
}

fn hex(n: usize) -> String {
    format!("a1{}", chance("0123456789abcdef", n - 2))
}

fn pem(label: &str) -> String {
    let lines: Vec<String> = (0..4).map(|i| chance("ABCDEFghijklmnop0123456789+/", 60 + i)).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----", lines.join("\n"))
}

#[test]
fn known_formats() {
    let upper = chance("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16);
    let jwt = format!("eyJ{}.eyJ{}.{}", alnum(30), alnum(60), alnum(43));
    let table = [
        (format!("AKIA{upper}"), "aws"),
        (format!("ASIA{upper}"), "aws"),
        (format!("ghp_{}", alnum(36)), "github"),
        (format!("ghs_{}", alnum(36)), "github"),
        (format!("github_pat_{}_{}", alnum(22), alnum(59)), "github"),
        (format!("glpat-{}", alnum(20)), "gitlab"),
        (format!("xoxb-{}-{}", "123456789012", alnum(24)), "slack"),
        (format!("xapp-1-{}", alnum(40)), "slack"),
        (format!("sk-{}", alnum(48)), "api-key"),
        (format!("sk-{}", hex(32)), "api-key"),
        (format!("sk-proj-{}", alnum(48)), "openai"),
        (format!("sk-ant-api03-{}", alnum(80)), "anthropic"),
        (format!("AIza{}", alnum(35)), "google"),
        (format!("sk_live_{}", alnum(24)), "stripe"),
        (format!("rk_live_{}", alnum(24)), "stripe"),
        (format!("{}.{}", hex(32), alnum(16)), "zhipu"),
        (format!("hf_{}", alnum(34)), "huggingface"),
        (format!("npm_{}", alnum(36)), "npm"),
        (format!("pypi-AgEIcHlwaS5vcmc{}", alnum(60)), "pypi"),
        (format!("SG.{}.{}", alnum(22), alnum(43)), "sendgrid"),
        (format!("SK{}", hex(32)), "twilio"),
        (format!("dop_v1_{}", hex(64)), "digitalocean"),
        (format!("123456789:AA{}", alnum(33)), "telegram"),
        (format!("M{}.{}.{}", alnum(23), alnum(6), alnum(38)), "discord"),
        (format!("LTAI{}", alnum(20)), "alibaba"),
        (format!("AKID{}", alnum(32)), "tencent"),
        (jwt.clone(), "jwt"),
        (format!("shpat_{}", hex(32)), "shopify"),
        (format!("shpss_{}", hex(32)), "shopify"),
        (format!("r8_{}", alnum(37)), "replicate"),
        (format!("pplx-{}", alnum(48)), "perplexity"),
        (format!("nvapi-{}-{}", alnum(30), alnum(33)), "nvidia"),
        (format!("tvly-dev-{}", alnum(32)), "tavily"),
        (format!("hvs.CAESI{}", alnum(90)), "vault"),
        (format!("hvb.AAAAAQ{}", alnum(140)), "vault"),
        (format!("ATATT3xFfGF0{}={}", alnum(170), hex(8)), "atlassian"),
        (format!("lin_api_{}", alnum(40)), "linear"),
        (format!("figd_{}-{}", alnum(20), alnum(20)), "figma"),
        (format!("sntrys_eyJ{}=_{}", alnum(80), alnum(43)), "sentry"),
        (format!("sntryu_{}", hex(64)), "sentry"),
        (format!("dapi{}", hex(32)), "databricks"),
        (format!("key-{}", hex(32)), "mailgun"),
        (format!("PMAK-{}-{}", hex(24), hex(34)), "postman"),
        (format!("fw_{}", alnum(24)), "fireworks"),
        (format!("csk-{}", alnum(48)), "cerebras"),
        (format!("glsa_{}_{}", alnum(32), hex(8)), "grafana"),
        (format!("dp.pt.{}", alnum(43)), "doppler"),
        (format!("v1.0-{}-{}", hex(24), hex(146)), "cloudflare"),
        (format!("AGE-SECRET-KEY-1{}", chance("QPZRY9X8GF2TVDW0", 58)), "private-key"),
        (format!("$2b$12${}", alnum(53)), "password-hash"),
        (format!("$6${}${}", alnum(16), alnum(86)), "password-hash"),
        (pem("PRIVATE KEY"), "private-key"),
        (pem("RSA PRIVATE KEY"), "private-key"),
        (pem("OPENSSH PRIVATE KEY"), "private-key"),
        (pem("PGP PRIVATE KEY BLOCK"), "private-key"),
        (pem("PRIVATE KEY").replace('\n', "\\n"), "private-key"),
    ];
    for (secret, kind) in table {
        for (before, after) in [
            ("", ""),
            ("see ", " there"),
            ("x=\"", "\""),
            ("(", ")."),
            ("第一行\n", "\n末行"),
            ("a\\n", "\\nb"),
            ("%3A%22", " %22"),
            ("k%3D", " "),
            ("\\u0022", "\\u0022"),
        ] {
            let wanted = format!("{before}⟦masked:{kind}⟧{after}");
            assert_eq!(mask(&format!("{before}{secret}{after}")), wanted, "{secret}");
        }
    }
}

#[test]
fn parts_of_a_larger_whole() {
    let (key, word) = (alnum(44), alnum(24));
    #[rustfmt::skip]
    let table = [
        ("postgres://app:hunter2@db:5432/x".to_owned(), "postgres://app:⟦masked:url-password⟧@db:5432/x".to_owned()),
        ("redis://:p@ss@word@cache/0".into(), "redis://:⟦masked:url-password⟧@cache/0".into()),
        (format!("git clone https://{word}@host/x.git"), "git clone https://⟦masked:url-password⟧@host/x.git".into()),
        (format!("https://hooks.slack.com/services/T0001/B0001/{word}"), "https://hooks.slack.com/services/⟦masked:webhook⟧".into()),
        (format!("https://api.telegram.org/bot123456789:AA{}/getMe", alnum(33)), "https://api.telegram.org/bot⟦masked:telegram⟧/getMe".into()),
        (format!("AccountName=x;AccountKey={key}==;EndpointSuffix=y"), "AccountName=x;AccountKey=⟦masked:azure⟧;EndpointSuffix=y".into()),
        (format!("SharedAccessKeyName=n;SharedAccessKey={key}="), "SharedAccessKeyName=n;SharedAccessKey=⟦masked:azure⟧".into()),
        (format!("Authorization: Bearer {word}"), "Authorization: Bearer ⟦masked:authorization⟧".into()),
        ("curl -H 'Authorization: Basic dXNlcjpwYXNz' x".into(), "curl -H 'Authorization: Basic ⟦masked:authorization⟧' x".into()),
        (format!("{{\"authorization\": \"bearer {word}\"}}"), "{\"authorization\": \"bearer ⟦masked:authorization⟧\"}".into()),
        (format!("then send Bearer {word}."), "then send Bearer ⟦masked:authorization⟧.".into()),
        (format!("Private-Lines: 2\n{key}\n{key}\nPrivate-MAC: {}", hex(40)), "Private-Lines: 2\n⟦masked:private-key⟧\nPrivate-MAC: ⟦masked:private-key⟧".into()),
    ];
    for (text, wanted) in table {
        assert_eq!(mask(&text), wanted, "{text}");
    }
}

#[test]
fn a_known_format_is_known_whatever_stands_before_it() {
    let github = format!("ghp_{}", alnum(36));
    let aws = format!("AKIA{}7", chance("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 15));
    for before in ["x", "_", "7", "%22", "%3D", "a%3d", "\\u0022", "\\x22", "\\n", "\\\\n", "key_"] {
        assert_eq!(mask(&format!("{before}{github} b")), format!("{before}⟦masked:github⟧ b"));
        assert_eq!(mask(&format!("{before}{aws}\\u0022")), format!("{before}⟦masked:aws⟧\\u0022"));
    }
    let anthropic = format!("sk-ant-api03-{}", alnum(80));
    assert_eq!(mask(&format!("x{anthropic}")), "x⟦masked:anthropic⟧");
}

#[test]
fn tokens_of_cloudflare_beside_its_name() {
    let (token, key) = (alnum(40), hex(37));
    for before in ["Cloudflare: ", "cloudflare = \"", "my Cloudflare API access ", "CLOUDFLARE_DNS="] {
        assert_eq!(mask(&format!("{before}{token}\n")), format!("{before}⟦masked:cloudflare⟧\n"));
        assert_eq!(mask(&format!("{before}{key}\n")), format!("{before}⟦masked:cloudflare⟧\n"));
    }
    for name in ["CLOUDFLARE_API_TOKEN", "CF_API_TOKEN", "dns_cloudflare_api_token", "CLOUDFLARE_KEY"] {
        assert!(!mask(&format!("{name}={token}")).contains(&token), "{name}");
    }
}

#[test]
fn assignments() {
    // `@` stands for the value.
    #[rustfmt::skip]
    let table = [
        ("password=@", "hunter2", "password"), ("DB_PASSWORD=@", "letmein", "password"), ("export TOKEN=@", "abc123de", "token"),
        ("PASSWORD='@'", "correct horse battery", "password"), ("PASSWORD=@\nUSER=bob", "P@ss&w0rd;x", "password"),
        ("password: @", "swordfish", "password"), ("  password: @ # prod", "hunter2", "password"),
        ("- api_key: @", "0123456789abcdef", "key"), ("password = @", "swordfish", "password"),
        ("password = \"@\"", "swordfish", "password"), ("[sendemail]\n\tsmtpPass = @\n", "hunter2", "password"), ("{\"password\": \"@\", \"a\": 1}", "hunter2", "password"),
        ("{\"password\":\"@\"}", "!Qaz2wsx", "password"), ("{\\\"password\\\":\\\"@\\\"}", "hunter2", "password"),
        ("client_secret => '@',", "s3cr3t-value", "secret"), ("const apiKey = `@`;", "abc123def456", "key"),
        ("const TOKEN: &str = \"@\";", "abc123def456", "token"), ("password: str = '@'", "hunter2", "password"),
        ("config[\"password\"] = \"@\"", "hunter2", "password"), ("let secret = b\"@\";", "hunter2hunter2", "secret"),
        ("aws_secret_access_key = @", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "key"),
        ("?user=bob&password=@&x=1", "letmein", "password"), ("Server=x;Password=@;Database=y", "letmein", "password"),
        ("<password>@</password>", "hunter2", "password"), ("mysql --password=@ db", "hunter2", "password"),
        ("mysql --password @ -u bob", "swordfish", "password"), ("X-Api-Key: @", "abcdef0123456789", "key"),
        ("JWT_SECRET=@", "mysupersecret", "secret"), ("ADMIN_PASSWORD=@", "admin", "password"), ("Password (staging): @", "hunter2", "password"),
        ("密码（测试）：@", "hunter2", "password"), ("the password is: @", "hunter2", "password"), ("password -> @", "hunter2", "password"),
        ("curl -s -u bob:@ https://x", "hunter2", "password"), ("sshpass -p @ ssh host", "hunter", "password"),
        ("SECRET_KEY_BASE=@", "0123456789abcdef0123456789abcdef", "key"),
        ("12:password: @", "hunter2", "password"), ("src/.env:3:PASSWORD=@", "letmein", "password"),
        ("+password: @", "hunter2", "password"), ("   3\tpassword: @", "hunter2", "password"),
        ("user=bob password=@ ip=10.0.0.1", "hunter2", "password"), ("the password is @.", "hunter2", "password"),
        ("密码：@", "hunter2", "password"), ("数据库密码是 @，请保密", "hunter2", "password"), ("口令: @", "hunter2", "password"),
        ("秘钥：@", "a1b2c3d4e5", "key"), ("服务器口令=@", "hunter2", "password"), ("私钥: @", "a1b2c3d4e5", "key"), ("加密：@", "k3Jx9QpL2mVz7RtY", "key"),
        ("令牌=@", "a1b2c3d4e5", "token"), ("密钥：@", "a1b2c3d4e5", "key"), ("password: |\n  @\nuser: x", "hunter2", "password"),
        ("machine h login bob password @", "swordfish", "password"), ("secret: @", "550e8400-e29b-41d4-a716-446655440000", "secret"),
        ("my token for that was given as @ yesterday", "k3Jx9QpL2mVz7RtY4wBn", "token"),
        ("**Password:** @", "hunter2", "password"), ("GITHUB_TOKEN=@", "0123456789abcdef0123456789abcdef01234567", "token"),
        ("\"passphrase\": \"@\"", "a b\\\" c1", "password"), ("//registry/:_authToken=@", "abc123def", "token"),
        ("password: \"@\"", "12345678", "password"), ("a\\nDB_PASSWORD=@\\nb", "letmein", "password"),
    ];
    for (text, value, kind) in table {
        // A phrase is masked only where nothing else than a password can stand.
        let wanted = if value.contains("\\\"") {
            text.replace('@', value)
        } else {
            text.replacen('@', &format!("⟦masked:{kind}⟧"), 1)
        };
        assert_eq!(mask(&text.replacen('@', value, 1)), wanted);
    }
}

#[test]
fn harmless_texts_come_back_unchanged() {
    let image = format!(
        "data:image/png;base64,{}",
        chance("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 4000)
    );
    #[rustfmt::skip]
    let table = [
        // Prose.
        "", "Choose a password of at least 12 characters; your password is never stored.", "The token is base64 encoded.",
        "Password: required", "密码长度至少 8 位。请勿泄露密码。", "API key: see the settings page", "This token is a JWT (eyJ…).",
        "Keys begin with sk- or ghp_, AKIA or xoxb-.", "the secret to good prose is 2000 words a day", "tests pass to 100%",
        "-----BEGIN PRIVATE KEY----- is how such a file begins", "Set --password or --token-file before you start",
        // Names that are not secrets.
        "token_count: 5", "max_tokens=4096", "\"max_tokens\": 4096", "password_field_label: \"Your password 1\"", "PWD=/home/user1",
        "OLDPWD=/tmp/abc123def456", "TOKEN_FILE=/run/secrets/token1", "\"author\": \"bob1234567\"", "next_token = tokens[i + 1]",
        // Placeholders and references.
        "password=changeme", "PASSWORD=password", "docker run -u 1000:1000 x", "sudo -u bob:bob1234 x", "sshpass -p $PASS x", "api_key: <your key>", "API_KEY=your_api_key_here", "token: xxxx", "TOKEN=${GITHUB_TOKEN}", "password: $DB_PASSWORD",
        "secret = process.env.SECRET1", "password = os.environ[\"DB_PASSWORD1\"]", "token: ${{ secrets.TOKEN_1 }}", "PASSWORD=\"$(cat /run/x1)\"",
        "password: {{ vault_password1 }}", "password = get_password(user1)", "secret: true", "password: null", "token=None", "password=\"\"",
        "password: ********", "api_key=sk-...", "https://user:$PASS@host/", "https://user:<password>@host/", "f\"{scheme}://{user}:{pw}@{host}\"",
        // Code.
        "let token = lexer.next_token();", "fn login(user: &str, password: &str) -> Result<Token, Error>", "password: String,",
        "    token: Token![:],", "if (token === null) return;", "self.password = password", "interface A { password?: string; apiKey: string }",
        "token: &'a str", "connect(host=host1, password=password1)", "{ token: 'keyword.operator', regex: /x1/ }", "colon2_token: node.colon2_token,",
        "pub const TOKEN: u32 = 12;", "SECKEYPrivateKey *PK11_FindKeyByDERCert(PK11SlotInfo *slot,", "password = forms.CharField(max_length=32)", "assert_eq!(tokens.len(), 12345678);", "type Secret2 = proc_macro2::Ident;",
        "<input type=\"password\" name=\"password\" id=\"pw1\">", "<label for=\"password\">Password</label>", "accesskey=\"p\" href=\"dist.readme-s390.html\"",
        r"(?P<secret_key>.*?)@", r#"re.compile("token=(\w{20})")"#,
        // Labels and configuration.
        "\"password\": \"Passwort\",", "\"password\": \"密码\"", "\"password\": \"Enter your password\"", "auth: basic", "\"credentials\": \"include\"",
        "secretName: db-credentials", "\"@octokit/auth-token\": \"^3.0.0\",", "jsonwebtoken: 9.0.2", "password_hash 0.5.0", "token_expires: 2026-02-15T10:30:00Z",
        // Sums and ids.
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "Merge the password branch 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "550e8400-e29b-41d4-a716-446655440000", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  token.txt",
        "checksum = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
        "\"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"",
        "github.com/docker/docker-credential-helpers v0.6.3 h1:zI2p9+1NQYdnG6sMU26EX4aVGlqbInSQxQXLvzJ4RPQ=",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl bob@host",
        "https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz#19203fb59991df98e3a287050d4647cdeaf32499", "task-0123456789abcdef0123456789",
        "加密：AES-256-GCM", "私钥路径：/etc/ssl/private1", "cache-key-d41d8cd98f00b204e9800998ecf8427e", "ta\u{73}k-proj-migrate2-the-old-tables3",
        "CZECHOSLOVAKIA AUSTRALASIA", "Cloudflare zone 023e105f4ecef8ad9ca31a8372d0c353", "fw_version_2", "nvapi-your-key-goes-in-here-and-nowhere-else-at-all",
        "https://host:8080/@scope/name", "class=\"sk-fading-circle-number-12\"", "10:AAAA", "SKIP ASIA AKIANS",
        &image,
    ];
    for text in table {
        assert_eq!(mask(text), text);
    }
    for source in
        [include_str!("names.rs"), include_str!("sign.rs"), include_str!("mod.rs"), include_str!("../lib.rs")]
    {
        assert_eq!(mask(source), source);
    }
}

#[test]
fn json_stays_json() {
    let value = json!({
        "password": "hunter\"2\\", "private_key": pem("PRIVATE KEY"), "url": "amqp://u:p1@h/",
        "nested": {"text": format!("API_KEY=\"{}\"\n", alnum(20)), "n": 1},
    });
    for text in [value.to_string(), format!("{value:#}"), serde_json::to_string(&value.to_string()).unwrap()]
    {
        let masked = mask(&text);
        assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{masked}");
        assert!(
            !masked.contains("hunter")
                && !masked.contains("BEGIN")
                && masked.matches("⟦masked:").count() == 4,
            "{masked}"
        );
    }
}

#[test]
fn values() {
    let screener = SecretScreener;
    let key = format!("ghp_{}", alnum(36));
    let before = json!({
        "password": "hunter2", "pin": 1, "api_key": 12345, "token": 5, "auth": "basic", "max_tokens": 4096,
        "passwords": ["a1b2c3d4", {"x": "plain"}], "secret": null, "client_secret": "${X}",
        "list": [{"name": "DB_PASSWORD", "value": "swordfish"}, {"name": "HOME", "value": "/root"}],
        "text": format!("key {key}"),
        "credential": "", "passphrase": "correct horse battery staple",
    });
    let after = json!({
        "password": "⟦masked:password⟧", "pin": 1, "api_key": "⟦masked:key⟧", "token": 5, "auth": "basic", "max_tokens": 4096,
        "passwords": ["⟦masked:password⟧", {"x": "plain"}], "secret": null, "client_secret": "${X}",
        "list": [{"name": "DB_PASSWORD", "value": "⟦masked:password⟧"}, {"name": "HOME", "value": "/root"}],
        "text": "key ⟦masked:github⟧",
        "credential": "", "passphrase": "⟦masked:password⟧",
    });
    assert_eq!(screener.mask_value(&before), after);
    assert_eq!(screener.mask_value(&after), after);
    assert_eq!(masked_value(&json!({"a": ["b", {"c": 1.5}], "d": null})), None);
}

#[test]
fn keys_that_are_secrets_stay_apart() {
    let key = format!("ghp_{}", alnum(36));
    let other = key.replace("ghp", "gho");
    let masked = SecretScreener.mask_value(&json!({(key): 1, (other): 2, "⟦masked:github⟧": 3}));
    let fields = masked.as_object().unwrap();
    let mut keys: Vec<&str> = fields.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["⟦masked:github⟧", "⟦masked:github⟧2", "⟦masked:github⟧3"]);
    assert_eq!(fields["⟦masked:github⟧"], 3);
}

#[test]
fn a_secret_that_was_cut_is_masked_as_far_as_it_can_be_known() {
    let block = pem("RSA PRIVATE KEY");
    let half = block.len() / 2 - 10;
    assert_eq!(mask(&format!("a\n{}", &block[..half])), "a\n⟦masked:private-key⟧");
    assert_eq!(mask(&format!("{}\nb", &block[half..])), "⟦masked:private-key⟧\nb");
    assert_eq!(
        mask(&format!("{{\"k\": \"{}", block[..half].replace('\n', "\\n"))),
        "{\"k\": \"⟦masked:private-key⟧"
    );
    let short_line = block.find('\n').unwrap() + 70;
    assert_eq!(mask(&format!("{}\n\nNext", &block[..short_line])), "⟦masked:private-key⟧\n\nNext");
    assert_eq!(mask(&format!("see ghp_{}", alnum(10))), "see ⟦masked:github⟧");
    assert_eq!(mask(&format!("see eyJ{}", alnum(30))), "see ⟦masked:jwt⟧");
    assert_eq!(mask(&format!("see eyJ{}.eyJ{}", alnum(30), alnum(9))), "see ⟦masked:jwt⟧");
    assert_eq!(mask("{\"password\": \"hunter2"), "{\"password\": \"⟦masked:password⟧");
    // Lines joined in source code, and numbered ones.
    let code = block.replace('\n', "\\n\" +\n    \"");
    assert_eq!(mask(&format!("k = \"{code}\";")), "k = \"⟦masked:private-key⟧\";");
    let numbered: Vec<String> =
        block.lines().enumerate().map(|(i, line)| format!("{:>4}\t{line}", i + 1)).collect();
    assert_eq!(mask(&numbered.join("\n")), "   1\t⟦masked:private-key⟧");
}

#[test]
fn hostile_texts_take_linear_time() {
    for unit in [
        "a",
        "token=",
        "token:",
        "token=\"",
        "secret=\\\"",
        "eyJ.",
        "eyJaaaaaaaaaaaa-",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----aaaaaaaaaaaaaaaaaaaa ",
        "Private-Lines:\naaaaaaaaaaaaaaaaaaaa\n",
        "-sk-aaaa",
        "ghp_",
        "a.",
        "secret: |\n  ",
        "密码：",
        "⟦masked:",
        "password=hunter2 ",
        "\\",
        "$6$",
        "LS0tLS1CRUdJTiBQUklWQVRF",
        "ATATT3",
        "sntrys_",
        "cloudflare ",
        "Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6QUJDREVGR0h\n",
        "\\tZm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6QUJDREVGR0h\n\n\n",
    ] {
        let text = unit.repeat(300_000 / unit.len());
        let start = Instant::now();
        let masked = mask(&text);
        // Quadratic work would take minutes; the limit leaves room for slow machines and unoptimised builds.
        assert!(start.elapsed() < Duration::from_secs(10), "{unit}: {:?}", start.elapsed());
        assert!(masked.len() <= 3 * text.len());
    }
}

/// Texts in which secrets, names, signs and quotes stand close together in every order.
fn mixtures() -> impl Strategy<Value = String> {
    let pieces = vec![
        "password",
        "token",
        "secret",
        "api_key",
        "API_KEY",
        "Authorization",
        "Bearer ",
        "密码",
        "=",
        ": ",
        " = ",
        "：",
        " is ",
        "\"",
        "'",
        "\\\"",
        "\\",
        "\n",
        " ",
        "  ",
        "--",
        "<",
        ">",
        "</",
        "&",
        ";",
        ",",
        "(",
        "|",
        ".",
        "-",
        "_",
        "://",
        "a",
        "@",
        "hunter2",
        "k3Jx9QpL2mVz7RtY4wBn",
        "swordfish",
        "12345678",
        "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
        "sk-",
        "AKIA",
        "eyJhbGciOiJIUzI1NiJ9",
        ".eyJzdWIiOiIxMjM0NTYifQ",
        "c2lnbmF0dXJlMDEyMw",
        "-----BEGIN ",
        "-----END ",
        "PRIVATE KEY",
        "-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "⟦masked:x⟧",
        "⟦masked:",
        "⟧",
        "123456789:AA",
        "é",
        "→",
        "machine h login b password ",
        "0123456789abcdef0123456789abcdef",
        "$6$",
        "Private-Lines: 1\n",
        "\n7Qw9Zx2Lk4Vb8Nm1Cp6Rt3Yh5Jd0Gf7Sa2Ue9Wi4Oq8Bx1Kz6Mv3Tn5Hc0Lr7P\n",
        "\\n7Qw9Zx2Lk4Vb8Nm1Cp6Rt3Yh5Jd0Gf7Sa2Ue9Wi4Oq8Bx1Kz6Mv3Tn5Hc0Lr7P\\n",
        "-----BEGIN CERTIFICATE-----\n",
        "-----END CERTIFICATE-----",
        "%22",
        "12:",
        "|\n  ",
        "${",
        "}",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn masking_is_idempotent(text in mixtures()) {
        let once = mask(&text);
        prop_assert_eq!(mask(&once), once);
    }

    #[test]
    fn any_text_is_survived(text in any::<String>(), around in mixtures(), at in any::<prop::sample::Index>()) {
        let mut whole = text;
        let at = at.index(whole.len() + 1);
        let at = (0..=at).rev().find(|i| whole.is_char_boundary(*i)).unwrap_or(0);
        whole.insert_str(at, &around);
        let once = mask(&whole);
        prop_assert_eq!(mask(&once), once);
    }

    #[test]
    fn any_value_is_survived(keys in prop::collection::vec(mixtures(), 0..4), text in mixtures(), number in any::<i64>()) {
        let fields: Map<String, Value> = keys.into_iter().map(|key| (key, json!([text, number, {"password": text}]))).collect();
        let value = Value::Object(fields);
        let once = SecretScreener.mask_value(&value);
        prop_assert_eq!(once.as_object().map(Map::len), value.as_object().map(Map::len));
        prop_assert_eq!(SecretScreener.mask_value(&once), once);
    }

    #[test]
    fn a_secret_is_masked_wherever_it_stands(before in "[ -~\n]{0,40}[ \n\"'(=,]", after in "[ \n\"'),;][ -~\n]{0,40}") {
        let key = format!("ghp_{}", alnum(36));
        let whole = format!("{before}{key}{after}");
        prop_assert!(!mask(&whole).contains(&key));
    }
}
