//! What an address is: out in the world, on this machine, in a private network, or nothing that anyone should go to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What lies at an address, from the harmless to what is never gone to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressKind {
    Public,
    /// This machine.
    Loopback,
    /// A network that is not everybody's: RFC 1918, unique local, that of a carrier.
    Private,
    /// Whatever is on the same wire.
    LinkLocal,
    /// Set aside for examples, measurements and later: nobody's.
    Reserved,
    Multicast,
    /// `0.0.0.0`, `::`: many systems take it for this machine.
    Unspecified,
    /// Where a cloud tells a machine its own secrets.
    Metadata,
}

impl AddressKind {
    /// Never gone to, whatever anyone says.
    pub fn is_forbidden(self) -> bool {
        matches!(self, Self::Multicast | Self::Unspecified | Self::Metadata)
    }

    /// The rule that settles it, as plans and errors name it.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Public => "net:public",
            Self::Loopback => "net:loopback",
            Self::Private => "net:private",
            Self::LinkLocal => "net:link-local",
            Self::Reserved => "net:reserved",
            Self::Multicast => "net:multicast",
            Self::Unspecified => "net:unspecified",
            Self::Metadata => "net:metadata",
        }
    }

    /// `192.168.1.1 is …`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Public => "a public address",
            Self::Loopback => "an address of this machine",
            Self::Private => "a private address",
            Self::LinkLocal => "an address of the local link",
            Self::Reserved => "a reserved address",
            Self::Multicast => "a multicast address",
            Self::Unspecified => "no address of any machine",
            Self::Metadata => "where a cloud keeps the secrets of its machines",
        }
    }

    /// What an address is. One that has another in it is what that one is, if that is worse.
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

/// Metadata services that have an address of their own, in whichever network that lies.
const METADATA_V4: [Ipv4Addr; 7] = [
    Ipv4Addr::new(169, 254, 169, 254), // most of them
    Ipv4Addr::new(169, 254, 169, 253), // the resolver beside it
    Ipv4Addr::new(169, 254, 170, 2),   // credentials of containers
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16), // among public addresses
    Ipv4Addr::new(192, 0, 0, 192),
];
const METADATA_V6: [Ipv6Addr; 4] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x253),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

fn of_v4(address: Ipv4Addr) -> AddressKind {
    let [a, b, c, _] = address.octets();
    if METADATA_V4.contains(&address) {
        return AddressKind::Metadata;
    }
    match (a, b, c) {
        (0, ..) => AddressKind::Unspecified,
        (127, ..) => AddressKind::Loopback,
        (10, ..) | (172, 16..=31, _) | (192, 168, _) | (100, 64..=127, _) => AddressKind::Private,
        (169, 254, _) => AddressKind::LinkLocal,
        (224..=239, ..) | (255, 255, 255) => AddressKind::Multicast,
        (192, 0, 0 | 2)
        | (192, 88, 99)
        | (198, 18 | 19, _)
        | (198, 51, 100)
        | (203, 0, 113)
        | (240.., ..) => AddressKind::Reserved,
        _ => AddressKind::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> AddressKind {
    if METADATA_V6.contains(&address) {
        return AddressKind::Metadata;
    }
    if address.is_loopback() {
        return AddressKind::Loopback;
    }
    if address.is_unspecified() {
        return AddressKind::Unspecified;
    }
    let first = address.segments()[0];
    let own = match first {
        0xff00.. => AddressKind::Multicast,
        0xfe80..=0xfebf => AddressKind::LinkLocal,
        // With the site-local ones, which are no longer given out and still in use.
        0xfec0..=0xfeff | 0xfc00..=0xfdff => AddressKind::Private,
        _ if is_nat64_of_a_site(address) => AddressKind::Private,
        _ if is_reserved(address) => AddressKind::Reserved,
        _ => AddressKind::Public,
    };
    embedded(address).into_iter().map(of_v4).fold(own, AddressKind::max)
}

/// `64:ff9b:1::/48`: a translator of somebody's own network.
fn is_nat64_of_a_site(address: Ipv6Addr) -> bool {
    address.segments()[..3] == [0x64, 0xff9b, 1]
}

fn is_reserved(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Examples; the pit where packets end; the range with protocols in it, but for what is a translation.
        [0x2001, 0xdb8 | 1..=0x1ff, ..] | [0x3fff, 0..=0xfff, ..] | [0x100, 0, 0, 0, ..] => true,
        segments => embedded(address).is_empty() && !(0x2000..=0x3fff).contains(&segments[0]),
    }
}

/// The IPv4 addresses that an IPv6 address leads to, in all the ways that there are.
fn embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let s = address.segments();
    let joined = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    let mut found = Vec::new();
    // Compatible, mapped, translated, and by NAT64; and ISATAP, below any prefix.
    let at_the_end = matches!(
        s,
        [0, 0, 0, 0, 0, 0 | 0xffff, ..]
            | [0, 0, 0, 0, 0xffff, 0, ..]
            | [0x64, 0xff9b, ..]
            | [_, _, _, _, 0 | 0x200, 0x5efe, ..]
    );
    if at_the_end {
        found.push(joined(s[6], s[7]));
    }
    match s {
        // 6to4.
        [0x2002, high, low, ..] => found.push(joined(high, low)),
        // Teredo: its server, and the client with every bit turned.
        [0x2001, 0, high, low, ..] => found.extend([joined(high, low), joined(!s[6], !s[7])]),
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{AddressKind::*, *};

    fn kind(text: &str) -> AddressKind {
        AddressKind::of(text.parse().unwrap())
    }

    #[test]
    fn each_address_is_known_for_what_it_is() {
        for (address, wanted) in [
            ("8.8.8.8", Public),
            ("1.1.1.1", Public),
            ("11.0.0.1", Public),
            ("100.63.255.255", Public),
            ("100.128.0.1", Public),
            ("172.15.0.1", Public),
            ("172.32.0.1", Public),
            ("192.169.0.1", Public),
            ("169.253.0.1", Public),
            ("223.255.255.255", Public),
            ("2606:4700::1111", Public),
            ("2a00:1450:4001::200e", Public),
            ("127.0.0.1", Loopback),
            ("127.255.255.254", Loopback),
            ("::1", Loopback),
            ("10.0.0.5", Private),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("192.168.1.1", Private),
            ("100.64.0.1", Private),
            ("100.127.255.255", Private),
            ("fc00::1", Private),
            ("fd12:3456::1", Private),
            ("fec0::1", Private),
            ("169.254.0.1", LinkLocal),
            ("fe80::1", LinkLocal),
            ("febf::1", LinkLocal),
            ("169.254.169.254", Metadata),
            ("169.254.170.2", Metadata),
            ("100.100.100.200", Metadata),
            ("168.63.129.16", Metadata),
            ("fd00:ec2::254", Metadata),
            ("fd20:ce::254", Metadata),
            ("0.0.0.0", Unspecified),
            ("0.1.2.3", Unspecified),
            ("::", Unspecified),
            ("224.0.0.1", Multicast),
            ("239.255.255.250", Multicast),
            ("255.255.255.255", Multicast),
            ("ff02::1", Multicast),
            ("192.0.2.1", Reserved),
            ("198.51.100.7", Reserved),
            ("203.0.113.9", Reserved),
            ("198.18.0.1", Reserved),
            ("240.0.0.1", Reserved),
            ("2001:db8::1", Reserved),
            ("3fff::1", Reserved),
            ("100::1", Reserved),
            ("2001:20::1", Reserved),
            ("5f00::1", Reserved),
            ("4000::1", Reserved),
        ] {
            assert_eq!(kind(address), wanted, "{address}");
        }
    }

    #[test]
    fn what_has_another_address_in_it_is_what_that_one_is() {
        for (address, wanted) in [
            ("::ffff:8.8.8.8", Public),
            ("::ffff:127.0.0.1", Loopback),
            ("::ffff:169.254.169.254", Metadata),
            ("::ffff:0.0.0.0", Unspecified),
            ("::127.0.0.1", Loopback),
            ("::10.0.0.1", Private),
            ("::ffff:0:192.168.1.1", Private),
            ("64:ff9b::8.8.8.8", Public),
            ("64:ff9b::169.254.169.254", Metadata),
            ("64:ff9b::10.0.0.1", Private),
            ("64:ff9b:1::8.8.8.8", Private),
            ("64:ff9b:1::169.254.169.254", Metadata),
            ("2002:808:808::1", Public),
            ("2002:7f00:1::1", Loopback),
            ("2002:c0a8:101::", Private),
            ("2002:a9fe:a9fe::1", Metadata),
            // Teredo: 8.8.8.8 as server; the client is 192.168.1.1 with its bits turned.
            ("2001:0:808:808:0:0:3f57:fefe", Private),
            ("2001:0:c0a8:101:0:0:f7f7:f7f7", Private),
            ("2001:0:808:808:0:0:f7f7:f7f7", Public),
            ("2606:4700::5efe:127.0.0.1", Loopback),
            ("2606:4700::200:5efe:10.0.0.1", Private),
            ("fe80::5efe:169.254.169.254", Metadata),
        ] {
            assert_eq!(kind(address), wanted, "{address}");
        }
    }

    proptest! {
        /// However an IPv4 address is wrapped, it gets no better.
        #[test]
        fn no_wrapping_makes_an_address_better(bits: u32, other: [u16; 4]) {
            let v4 = Ipv4Addr::from(bits);
            let [one, two, three, four] = v4.octets();
            let [a, b] = [[one, two], [three, four]].map(u16::from_be_bytes);
            let [w, x, y, z] = other;
            for wrapped in [
                Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, a, b),
                Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, a, b),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, a, b),
                Ipv6Addr::new(0x64, 0xff9b, 1, x, y, z, a, b),
                Ipv6Addr::new(0x2002, a, b, w, x, y, z, 1),
                Ipv6Addr::new(0x2001, 0, a, b, x, y, w, z),
                Ipv6Addr::new(0x2001, 0, w, x, y, z, !a, !b),
                Ipv6Addr::new(w, x, y, z, 0, 0x5efe, a, b),
            ] {
                prop_assert!(AddressKind::of(wrapped.into()) >= of_v4(v4), "{wrapped} of {v4}");
            }
        }

        /// What the standard library knows for private is never taken for public.
        #[test]
        fn nothing_private_is_public(bits: u32, wide: u128) {
            let v4 = Ipv4Addr::from(bits);
            if v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_documentation() || v4.is_multicast() {
                prop_assert_ne!(of_v4(v4), Public, "{}", v4);
            }
            let v6 = Ipv6Addr::from(wide);
            if v6.is_unique_local() || v6.is_unicast_link_local() || v6.is_multicast() {
                prop_assert_ne!(of_v6(v6), Public, "{}", v6);
            }
        }
    }
}
