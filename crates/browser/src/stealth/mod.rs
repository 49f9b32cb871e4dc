//! Looking like the ordinary browser that it is: what says that nobody sits in front of it is not said, and nothing is
//! patched that a page could catch as patched. No script of ours runs in any page for this.
//!
//! There are three places where something is done, and no more: the arguments of the browser ([`flags`]), its
//! environment, by which Mesa draws what a software rasteriser would ([`graphics`]), and the name that the browser goes
//! by ([`identity`]), which every target is given before any of its own code runs. All are empty when it is off.

mod devices;
mod flags;
mod graphics;
mod identity;
mod overrides;

pub use self::{
    graphics::Graphics,
    identity::{Identity, Maker},
};

/// Whether pages are kept from seeing that nobody sits here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stealth {
    #[default]
    On,
    Off,
}

/// What a target is, as far as this matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Page,
    Frame,
    Worker,
}
