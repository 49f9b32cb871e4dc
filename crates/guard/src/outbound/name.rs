//! What a host name is, before anyone is asked where it leads.

use super::address::AddressKind;

/// Names under which clouds keep their metadata services.
const METADATA: [&str; 6] = [
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.tencentyun.com",
];

/// Ends of names that lead into a network of one's own.
const PRIVATE_ENDS: [&str; 9] =
    ["local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "localdomain"];

/// A host as it is compared: in small letters, without the dot of the root.
pub fn normal(host: &str) -> String {
    host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase()
}

/// What a (normal) name says about itself. Where it leads is judged once more when it is gone to.
pub fn kind(name: &str) -> AddressKind {
    let ends_with = |end: &str| name == end || name.strip_suffix(end).is_some_and(|rest| rest.ends_with('.'));
    if METADATA.contains(&name) {
        AddressKind::Metadata
    } else if ends_with("localhost") || name == "localhost.localdomain" {
        AddressKind::Loopback
    } else if !name.contains('.') || PRIVATE_ENDS.into_iter().any(ends_with) {
        AddressKind::Private
    } else {
        AddressKind::Public
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_what_it_is() {
        for (name, wanted) in [
            ("example.org", AddressKind::Public),
            ("localhost.example.org", AddressKind::Public),
            ("notlocalhost.dev", AddressKind::Public),
            ("LOCALHOST", AddressKind::Loopback),
            ("localhost.", AddressKind::Loopback),
            ("app.localhost", AddressKind::Loopback),
            ("router", AddressKind::Private),
            ("nas.local", AddressKind::Private),
            ("db.internal", AddressKind::Private),
            ("printer.home.arpa", AddressKind::Private),
            ("metadata.google.internal", AddressKind::Metadata),
            ("Metadata.Google.Internal.", AddressKind::Metadata),
            ("instance-data", AddressKind::Metadata),
        ] {
            assert_eq!(kind(&normal(name)), wanted, "{name}");
        }
    }
}
