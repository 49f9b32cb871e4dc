//! The section `network`: interfaces with their addresses, and how many connections are in which state.

use std::collections::BTreeMap;

use deskhand_core::ToolResult;
use schemars::JsonSchema;
use serde::Serialize;
use sysinfo::{InterfaceOperationalState, Networks};

use crate::system::{human::Size, sampling::not_told};

#[derive(Serialize, JsonSchema)]
pub(super) struct Network {
    interfaces: Vec<Interface>,
    /// Of this machine, or of this container.
    #[serde(skip_serializing_if = "Option::is_none")]
    connections: Option<Connections>,
    /// Why there is nothing about connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    connections_absent: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Interface {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mac: Option<String>,
    /// With their prefix, such as `192.168.1.5/24`.
    addresses: Vec<String>,
    /// `up`, `down`, or what else the system says.
    state: String,
    received: Size,
    sent: Size,
}

#[derive(Serialize, JsonSchema)]
struct Connections {
    /// TCP, by state: `ESTABLISHED`, `LISTEN`, `TIME_WAIT`, …
    tcp: BTreeMap<String, u64>,
    /// UDP sockets.
    udp: u64,
    /// The first 200 of them.
    listening: Vec<Listening>,
    listening_total: usize,
    /// Lines of the kernel's tables that could not be understood, and so are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable_lines: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct Listening {
    /// `tcp` or `udp`.
    protocol: String,
    address: String,
    port: u16,
}

pub(super) fn look() -> ToolResult<Network> {
    let networks = Networks::new_with_refreshed_list().map_err(|error| not_told("networks", &error))?;
    let mut interfaces: Vec<Interface> = networks
        .iter()
        .map(|(name, data)| {
            let name = name.to_string_lossy().into_owned();
            let mut addresses: Vec<String> = data.ip_networks().iter().map(ToString::to_string).collect();
            addresses.sort();
            addresses.dedup();
            let mac = data.mac_address();
            Interface {
                mac: (!mac.is_unspecified()).then(|| mac.to_string()),
                addresses,
                state: state(&name, data.operational_state()),
                received: Size::of(data.total_received()),
                sent: Size::of(data.total_transmitted()),
                name,
            }
        })
        .collect();
    interfaces.sort_by(|a, b| a.name.cmp(&b.name));
    let (connections, connections_absent) = match connections() {
        Ok(connections) => (Some(connections), None),
        Err(why) => (None, Some(why)),
    };
    Ok(Network { interfaces, connections, connections_absent })
}

fn state(name: &str, state: InterfaceOperationalState) -> String {
    match state {
        InterfaceOperationalState::Up => "up".to_owned(),
        InterfaceOperationalState::Down => "down".to_owned(),
        // Loopback and tunnels do not know whether they are up; whether they are switched on is known.
        InterfaceOperationalState::Unknown if is_switched_on(name) => "up".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

#[cfg(target_os = "linux")]
fn is_switched_on(name: &str) -> bool {
    const IFF_UP: u32 = 1;
    let flags = std::fs::read_to_string(std::path::Path::new("/sys/class/net").join(name).join("flags"));
    let flags = flags.ok().and_then(|text| u32::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok());
    flags.is_some_and(|flags| flags & IFF_UP != 0)
}

#[cfg(not(target_os = "linux"))]
fn is_switched_on(_: &str) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn connections() -> Result<Connections, String> {
    use crate::system::linux::sockets::{self, Protocol};
    const MOST_LISTED: usize = 200;
    let found = sockets::read(std::path::Path::new("/"))
        .map_err(|error| format!("/proc/net/tcp cannot be read: {error}."))?;
    let listening = found.listening.iter().take(MOST_LISTED).map(|(protocol, port, address)| Listening {
        protocol: if *protocol == Protocol::Tcp { "tcp" } else { "udp" }.to_owned(),
        address: address.to_string(),
        port: *port,
    });
    Ok(Connections {
        listening: listening.collect(),
        listening_total: found.listening.len(),
        udp: found.udp,
        unreadable_lines: (found.unreadable > 0).then_some(found.unreadable),
        tcp: found.tcp_states.into_iter().map(|(state, count)| (state.to_owned(), count)).collect(),
    })
}

#[cfg(not(target_os = "linux"))]
fn connections() -> Result<Connections, String> {
    Err("Connections are counted on Linux only.".to_owned())
}

impl Network {
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .interfaces
            .iter()
            .map(|interface| {
                let addresses = if interface.addresses.is_empty() {
                    "no address".to_owned()
                } else {
                    interface.addresses.join(", ")
                };
                let mac = interface.mac.as_ref().map_or_else(String::new, |mac| format!(", MAC {mac}"));
                let (name, state) = (&interface.name, &interface.state);
                let (received, sent) = (&interface.received.text, &interface.sent.text);
                format!("Network {name}: {state}, {addresses}{mac}, {received} received, {sent} sent")
            })
            .collect();
        if let Some(found) = &self.connections {
            let states: Vec<String> = found.tcp.iter().map(|(state, n)| format!("{n} {state}")).collect();
            let tcp = if states.is_empty() { "none".to_owned() } else { states.join(", ") };
            lines.push(format!("Connections: TCP {tcp}; UDP {}", found.udp));
            let ports: Vec<String> = found
                .listening
                .iter()
                .map(|on| {
                    let Listening { protocol, address, port } = on;
                    if address.contains(':') {
                        format!("{protocol} [{address}]:{port}")
                    } else {
                        format!("{protocol} {address}:{port}")
                    }
                })
                .collect();
            if !ports.is_empty() {
                lines.push(format!("Listening ({}): {}", found.listening_total, ports.join(", ")));
            }
        }
        lines.extend(self.connections_absent.clone());
        lines
    }
}
