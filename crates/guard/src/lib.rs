//! Everything that says no: the path policy, secret masking, the way out to the network, and the decision by mode and grants.

pub mod decide;
#[cfg(unix)]
pub mod effect;
pub mod mask;
mod new_files;
pub mod outbound;
pub mod paths;
#[cfg(unix)]
pub mod sandbox;
pub mod shell;

pub use decide::Rules;
pub use mask::SecretScreener;
pub use new_files::NewFiles;
pub use outbound::Outbound;
pub use paths::{BoundPaths, Kind, PathArg, Paths, PathsConfig, PathsOf, Place, PlanOn, Tree};
