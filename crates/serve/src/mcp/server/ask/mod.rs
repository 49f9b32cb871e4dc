//! Questions to the client's own person.
//!
//! Older clients are asked while their call waits ([`elicit`]); clients of the stateless protocol get the question as
//! the result of their call, and make the call again with the answer ([`suspended`]). What is asked, and how an answer
//! is read, is the same ([`form`]).

pub mod elicit;
pub mod form;
pub mod suspended;
