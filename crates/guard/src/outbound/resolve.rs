//! Looking a name up: once for each connection.

use std::{io, net::IpAddr};

use futures_util::future::BoxFuture;

pub type Addresses<'a> = BoxFuture<'a, io::Result<Vec<IpAddr>>>;

/// Where names lead.
pub trait Resolve: Send + Sync {
    fn resolve<'a>(&'a self, host: &'a str) -> Addresses<'a>;
}

/// As the system does it.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> Addresses<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
