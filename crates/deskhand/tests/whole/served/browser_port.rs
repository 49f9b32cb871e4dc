//! The browser's routes on a port of their own, where that is set.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
};

use super::{Around, LIMIT, Served};

const PORT: &str = "DESKHAND_BROWSER_API_PORT";

/// The status of the answer to a navigation without an address.
fn ask(port: u16, headers: &str) -> u16 {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let request = format!(
        "POST /api/browser/navigate HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: 2\r\n{headers}\r\n{{}}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn the_setting_opens_it_to_whoever_has_the_token() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let environment = vec![(PORT, free.to_string())];
    let served = Served::around("", Around { environment, ..Around::default() });
    let token = format!("Authorization: Bearer {}\r\n", served.token);
    for port in [free, served.port] {
        assert_eq!(ask(port, ""), 401);
        assert_eq!(ask(port, &token), 400, "the call came to the gate, which wants an address");
    }
}

#[test]
fn a_port_that_is_taken_is_told_at_the_start() {
    let served = Served::new();
    let other = served
        .command(&["serve", "--listen", "127.0.0.1:0"])
        .env(PORT, served.port.to_string())
        .output()
        .unwrap();
    assert_eq!(other.status.code(), Some(2), "{other:?}");
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(said.contains("browser.api_port") && said.contains(&served.port.to_string()), "{said}");
}
