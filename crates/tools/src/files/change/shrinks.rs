//! A file that loses most of its content is asked about each time.

use deskhand_core::{Permission, Plan};

use crate::files::counted::counted;

/// A smaller file holds too little to be worth asking about.
const WORTH_ASKING: u64 = 1024;

/// Says in the plan, and asks, where a file of `before` bytes would be left with less than a quarter of them.
pub fn say_if_it_shrinks(plan: Plan, before: u64, after: u64) -> Plan {
    if before < WORTH_ASKING || after >= before / 4 {
        return plan;
    }
    let after = counted(after, "byte");
    let why = format!("The file would shrink to less than a quarter: {before} bytes → {after}.");
    plan.at_least(Permission::Sensitive, "write:shrinks", &why).note(why)
}
