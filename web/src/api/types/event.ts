// What happens in a session, as it happens.
import type { ApprovalRequest, Settled } from "./approval";
import type { Decision, Json, Outcome, Plan, Time } from "./call";
import type { TurnOutcome, Usage } from "./session";

export interface Progress {
  text: string;
  done: number | null;
  total: number | null;
  outside?: string;
}

export type EventBody =
  | { type: "turn_started"; message: string; message_id: number; model?: string; retry_of?: number }
  | { type: "thought"; text: string }
  | { type: "text"; text: string }
  | { type: "call_planned"; call_id: string; tool: string; arguments: Json; plan: Plan; decision: Decision }
  | { type: "approval_wanted"; request: ApprovalRequest }
  | { type: "approval_settled"; approval_id: string; call_id: string; settled: Settled }
  | { type: "call_output"; call_id: string; progress: Progress }
  | { type: "call_ended"; outcome: Outcome }
  | {
      type: "process_ended";
      process_id: string;
      command: string;
      exit_code: number | null;
      signal: number | null;
      status: "exited" | "killed" | "timed_out";
    }
  | ({ type: "usage" } & Usage)
  | { type: "compacted"; messages: number; tokens_before: number; tokens_after: number; transcript: string }
  | { type: "notice"; text: string }
  | { type: "done"; outcome: TurnOutcome; reason: string | null; incomplete?: boolean };

export type EventType = EventBody["type"];

/** Every type there is; a stream listens to each by name. */
export const EVENT_TYPES = [
  "turn_started",
  "thought",
  "text",
  "call_planned",
  "approval_wanted",
  "approval_settled",
  "call_output",
  "call_ended",
  "process_ended",
  "usage",
  "compacted",
  "notice",
  "done",
] as const satisfies readonly EventType[];

export type SessionEvent = EventBody & {
  /** Grows by one within a session. */
  seq: number;
  at: Time;
  session_id: string;
  turn_id: string | null;
};
