//! What only Linux tells, read from `/proc` and `/sys`. Readers of trees take the root, so that tests bring their own.

pub(super) mod cgroup;
pub(super) mod sockets;
pub(super) mod stat;
pub(super) mod surroundings;
