//! The mode that a session's calls run in: what the program has set, and what the session's person may choose instead.

use deskhand_core::Mode;

use super::{error::ApiError, person::Person};

/// The mode that a session has unless its person chooses another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeInForce {
    pub mode: Mode,
    /// Set where the program was started (a flag, a variable) or by the folder's own config: then nobody can loosen it
    /// in a session, not even the owner.
    pub is_fixed: bool,
}

impl ModeInForce {
    /// The owner may choose any mode, as in the settings; a user never a looser one than the owner has set.
    fn lets(self, person: &Person, mode: Mode) -> bool {
        (person.is_owner() && !self.is_fixed) || mode.at_least_as_tight_as(self.mode)
    }

    /// What this person may choose.
    pub fn choices(self, person: &Person) -> Vec<Mode> {
        Mode::ALL.into_iter().filter(|mode| self.lets(person, *mode)).collect()
    }

    /// The mode of a session for which this was chosen. A choice that is not allowed any more does not count.
    pub fn chosen(self, person: &Person, chosen: Option<Mode>) -> Mode {
        chosen.filter(|mode| self.lets(person, *mode)).unwrap_or(self.mode)
    }

    /// A mode that this person wants for a session.
    pub fn checked(self, person: &Person, wanted: Mode) -> Result<Mode, ApiError> {
        if self.lets(person, wanted) { Ok(wanted) } else { Err(looser(self.mode, wanted)) }
    }
}

/// A request may ask for a tighter mode than that of its session, never for a looser one.
pub fn tightened(usual: Mode, asked: Option<Mode>) -> Result<Mode, ApiError> {
    match asked {
        None => Ok(usual),
        Some(mode) if mode.at_least_as_tight_as(usual) => Ok(mode),
        Some(mode) => Err(looser(usual, mode)),
    }
}

fn looser(in_force: Mode, wanted: Mode) -> ApiError {
    ApiError::forbidden(
        "looser_mode",
        format!("the mode in force is {in_force}; it cannot be loosened to {wanted}"),
    )
    .hint("The owner sets the mode with --mode or in the settings.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_loosens_and_only_what_is_not_fixed() {
        let owner = Person { user: None, here: true };
        let user = Person { user: Some("bob".into()), here: true };
        let ask = ModeInForce { mode: Mode::Ask, is_fixed: false };
        let fixed = ModeInForce { is_fixed: true, ..ask };
        assert_eq!(ask.choices(&owner), Mode::ALL);
        for (in_force, person) in [(ask, &user), (fixed, &owner), (fixed, &user)] {
            assert_eq!(in_force.choices(person), [Mode::Ask, Mode::ReadOnly, Mode::Unattended]);
            assert_eq!(in_force.chosen(person, Some(Mode::Auto)), Mode::Ask);
            assert_eq!(in_force.chosen(person, Some(Mode::ReadOnly)), Mode::ReadOnly);
            assert!(in_force.checked(person, Mode::Auto).is_err());
        }
        let read_only = ModeInForce { mode: Mode::ReadOnly, is_fixed: true };
        assert_eq!(read_only.choices(&owner), [Mode::ReadOnly]);
        assert_eq!(ask.chosen(&owner, Some(Mode::Auto)), Mode::Auto);
    }
}
