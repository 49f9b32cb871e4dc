//! The list of a family's tools: one line each.

/// `module: Tool;` declares the file `module.rs` and registers `Tool`. Makes `register` for the family.
macro_rules! family {
    ($($module:ident: $($tool:ident),+;)*) => {
        $(mod $module;)*

        /// Adds every tool of this family.
        pub fn register(registry: &mut deskhand_core::Registry) {
            $($(registry.add($module::$tool);)+)*
        }
    };
}

pub(crate) use family;
