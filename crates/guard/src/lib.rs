//! Everything that says no: the path policy, secret masking, and the decision by mode and grants.

pub mod paths;

pub use paths::{BoundPaths, Kind, PathArg, Paths, PathsConfig, PathsOf, Place, PlanOn};
