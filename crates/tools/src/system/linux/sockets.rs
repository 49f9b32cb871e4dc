//! Connections and listening ports, from `/proc/net/{tcp,tcp6,udp,udp6}`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufRead, BufReader, Read},
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::Path,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::system) enum Protocol {
    Tcp,
    Udp,
}

/// All sockets that this network namespace shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::system) struct Sockets {
    /// How many TCP connections are in each state: `ESTABLISHED`, `LISTEN`, `TIME_WAIT`, …
    pub tcp_states: BTreeMap<&'static str, u64>,
    pub udp: u64,
    pub listening: BTreeSet<(Protocol, u16, IpAddr)>,
    /// Lines that could not be understood.
    pub unreadable: u64,
}

const TABLES: [(&str, Protocol); 4] =
    [("tcp", Protocol::Tcp), ("tcp6", Protocol::Tcp), ("udp", Protocol::Udp), ("udp6", Protocol::Udp)];

/// A hostile or broken table cannot take all memory.
const LONGEST_TABLE: u64 = 256 << 20;

/// A table that is missing (no IPv6) is empty; an error is that of the first one, which is always there.
pub(in crate::system) fn read(root: &Path) -> io::Result<Sockets> {
    let mut sockets = Sockets::default();
    for (name, protocol) in TABLES {
        match File::open(root.join("proc/net").join(name)) {
            Ok(file) => sockets.add_table(protocol, BufReader::new(file.take(LONGEST_TABLE)))?,
            Err(error) if name == "tcp" => return Err(error),
            Err(_) => {}
        }
    }
    Ok(sockets)
}

impl Sockets {
    fn add_table(&mut self, protocol: Protocol, table: impl BufRead) -> io::Result<()> {
        // The first line names the columns.
        for line in table.split(b'\n').skip(1) {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            if line.trim().is_empty() {
                continue;
            }
            match parse(&line) {
                Some(row) => self.add(protocol, row),
                None => self.unreadable += 1,
            }
        }
        Ok(())
    }

    fn add(&mut self, protocol: Protocol, (address, port, state): (IpAddr, u16, &'static str)) {
        let listens = match protocol {
            Protocol::Tcp => {
                *self.tcp_states.entry(state).or_default() += 1;
                state == "LISTEN"
            }
            // A UDP socket that is bound and not connected takes what anyone sends; its state has TCP's number.
            Protocol::Udp => {
                self.udp += 1;
                state == "CLOSE"
            }
        };
        if listens {
            self.listening.insert((protocol, port, address));
        }
    }
}

/// Local address, local port and state of a line such as `0: 0100007F:1F90 00000000:0000 0A …`.
fn parse(line: &str) -> Option<(IpAddr, u16, &'static str)> {
    let mut fields = line.split_ascii_whitespace();
    fields.next()?.strip_suffix(':')?;
    let (address, port) = fields.next()?.split_once(':')?;
    fields.next()?.split_once(':')?;
    let state = match u8::from_str_radix(fields.next()?, 16).ok()? {
        1 => "ESTABLISHED",
        2 => "SYN_SENT",
        3 => "SYN_RECV",
        4 => "FIN_WAIT1",
        5 => "FIN_WAIT2",
        6 => "TIME_WAIT",
        7 => "CLOSE",
        8 => "CLOSE_WAIT",
        9 => "LAST_ACK",
        10 => "LISTEN",
        11 => "CLOSING",
        12 => "NEW_SYN_RECV",
        _ => return None,
    };
    Some((parse_address(address)?, u16::from_str_radix(port, 16).ok()?, state))
}

/// Each group of eight digits is one word of the address as the machine holds it in memory.
fn parse_address(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let digits = hex.get(at..at + 8).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok().map(u32::to_ne_bytes)
    };
    match hex.len() {
        8 => Some(IpAddr::V4(Ipv4Addr::from(word(0)?))),
        32 => {
            let mut bytes = [0; 16];
            for (n, chunk) in bytes.chunks_exact_mut(4).enumerate() {
                chunk.copy_from_slice(&word(n * 8)?);
            }
            Some(IpAddr::V6(Ipv6Addr::from(bytes)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";

    #[cfg(target_endian = "little")]
    #[test]
    fn lines() {
        for (line, wanted) in [
            ("   0: 0100007F:1F90 00000000:0000 0A 0:0", Some(("127.0.0.1", 8080, "LISTEN"))),
            ("  12: 0200A8C0:0016 0100A8C0:D431 01 0:0", Some(("192.168.0.2", 22, "ESTABLISHED"))),
            (
                "1: 00000000000000000000000001000000:0035 00000000000000000000000000000000:0000 06 0",
                Some(("::1", 53, "TIME_WAIT")),
            ),
            ("1: 0000000000000000FFFF00000100007F:0050 0:0 08", Some(("::ffff:127.0.0.1", 80, "CLOSE_WAIT"))),
            ("", None),
            ("1:", None),
            ("1 0100007F:1F90 00000000:0000 0A", None),
            ("1: 0100007F 00000000:0000 0A", None),
            ("1: 0100007F:1F90 00000000:0000 FF", None),
            ("1: 0100007F:1F90 00000000:0000 0D", None),
            ("1: 0100007F:1F901 00000000:0000 0A", None),
            ("1: 010000:1F90 00000000:0000 0A", None),
            ("1: +100007F:1F90 00000000:0000 0A", None),
            ("1: ééé00:1F90 00000000:0000 0A", None),
        ] {
            let wanted = wanted.map(|(address, port, state)| (address.parse().unwrap(), port, state));
            assert_eq!(parse(line), wanted, "{line}");
        }
    }

    #[test]
    fn tables_are_counted() {
        let root = tempfile::tempdir().unwrap();
        let net = root.path().join("proc/net");
        assert!(read(root.path()).is_err());
        fs::create_dir_all(&net).unwrap();
        let tcp = "0: 00000000:0050 0:0 0A\n1: 00000000:0050 0:0 0A\n2: 00000000:0050 0:1 01\nrubbish\n\n";
        fs::write(net.join("tcp"), format!("{HEAD}{tcp}")).unwrap();
        fs::write(net.join("udp"), [HEAD.as_bytes(), b"0: 00000000:0035 0:0 07\n\xff\xfe\n"].concat())
            .unwrap();
        let sockets = read(root.path()).unwrap();
        assert_eq!(sockets.tcp_states, BTreeMap::from([("ESTABLISHED", 1), ("LISTEN", 2)]));
        let any = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        assert_eq!(sockets.listening, BTreeSet::from([(Protocol::Tcp, 80, any), (Protocol::Udp, 53, any)]));
        assert_eq!((sockets.udp, sockets.unreadable), (1, 2));
    }

    proptest::proptest! {
        #[test]
        fn no_line_breaks_it(line in ".{0,200}") {
            let _ = parse(&line);
        }
    }

    #[test]
    fn a_port_that_listens_is_seen() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let sockets = read(Path::new("/")).unwrap();
        assert!(sockets.listening.contains(&(Protocol::Tcp, address.port(), address.ip())), "{sockets:?}");
    }
}
