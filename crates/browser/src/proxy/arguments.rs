//! The arguments that leave a browser no other way out.

use std::net::SocketAddr;

pub fn arguments(proxy: SocketAddr) -> Vec<String> {
    vec![
        format!("--proxy-server=http://{proxy}"),
        // Otherwise what is on this machine is gone to directly.
        "--proxy-bypass-list=<-loopback>".to_owned(),
        // Names are looked up on the other side of the proxy, and nowhere else.
        format!("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {}", proxy.ip()),
        "--dns-prefetch-disable".to_owned(),
        // What does not go over TCP would not go through it.
        "--disable-quic".to_owned(),
        "--webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        // Older versions know it by this name.
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
    ]
}
