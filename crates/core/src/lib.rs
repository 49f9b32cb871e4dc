//! The contract that every part of Deskhand shares.
//!
//! A [`Tool`] has a typed input, a typed output, a `plan` (what would this very call do?) and a `run`.
//! A [`Registry`] holds the tools; [`dialect`]s are other systems' names for them. Whoever wants a tool run
//! (a model, a person, an MCP client) hands a [`Request`] to [`Gate::call`], the one path:
//!
//! ```text
//! find → validate → plan → approve → run → screen → approve result → record
//! ```
//!
//! Nothing else ever runs a tool. [`Gate::call`] never panics and never returns a bare error: it returns an
//! [`Outcome`] with a [`Status`], a text for the model and data for programs.
//!
//! This crate does no I/O of its own. What the gate needs from the world comes in through traits:
//! [`AuditLog`] and [`AuditTrail`], [`ApprovalQueue`], [`GrantBook`], [`OutputKeeper`] and [`UndoJournal`] (kept by the store),
//! [`Policy`] and [`Screener`] (kept by the guard), [`Approver`] (every surface where a person can be asked). What tools of one
//! crate need from another that they may not know is a trait here, too: [`PageCamera`], [`SessionEnd`].

pub mod approval;
pub mod arguments;
pub mod audit;
pub mod changed;
pub mod cut;
pub mod cx;
pub mod dialect;
pub mod error;
pub mod event;
pub mod export;
pub mod gate;
pub mod grant;
pub mod held;
pub mod id;
mod live_mask;
pub mod outcome;
pub mod output;
pub mod outside;
pub mod page_camera;
pub mod path_json;
pub mod pattern;
pub mod plan;
pub mod policy;
pub mod registry;
pub mod schema;
pub mod screener;
pub mod session;
pub mod session_end;
pub mod spec;
pub mod time;
pub mod tool;
pub mod undo;
mod unfit;

pub use approval::{Answer, ApprovalQueue, ApprovalRequest, Approver, Remember, ResultAnswer, Settled};
pub use audit::{AuditLog, AuditRecord, AuditTrail, Phase};
pub use cx::{Cx, Progress, Services, Waiting};
pub use dialect::{Dialect, DialectEntry};
pub use error::{StoreError, StoreResult, ToolError, ToolResult};
pub use event::{Event, EventBody, EventSink};
pub use gate::{Caller, Explanation, Gate, GateSettings, Request, SessionCx, ToolSettings};
pub use grant::{Grant, GrantBook, GrantEffect, Scope, Shape};
pub use held::Held;
pub use id::CallId;
pub use live_mask::LiveMask;
pub use outcome::{ErrorBody, Image, Outcome, Status};
pub use output::OutputKeeper;
pub use outside::Outside;
pub use page_camera::{PageCamera, PagePicture, PageShot};
pub use pattern::CommandPattern;
pub use plan::{Access, Fingerprint, Plan, Preview, Runs, Touch, Undoable};
pub use policy::{Decision, Desktop, Mode, Policy, Question, Verdict};
pub use registry::{Absent, DuplicateName, Found, Guest, Refused, Registry, ToolEntry};
pub use screener::{Masked, Screener};
pub use session_end::SessionEnd;
pub use spec::{Effects, Permission, Spec, SpecOf};
pub use time::Time;
pub use tool::{Reply, Tool};
pub use undo::{UndoJournal, UndoStep};
pub use unfit::is_unfit;
