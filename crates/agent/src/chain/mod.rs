//! What a model's reply means: calls in every form, guards, conflict groups.
