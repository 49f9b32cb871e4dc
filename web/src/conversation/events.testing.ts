// Events for tests: numbered, of one turn, a second apart.
import type { ApprovalRequest, EventBody, Outcome, Plan, SessionEvent } from "../api/types";

export function events(...bodies: EventBody[]): SessionEvent[] {
  return numbered("turn-1", 1, bodies);
}

export function numbered(turnId: string | null, first: number, bodies: readonly EventBody[]): SessionEvent[] {
  return bodies.map((body, index) => ({
    ...body,
    seq: first + index,
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, first + index)).toISOString(),
    session_id: "s",
    turn_id: turnId,
  }));
}

export const started: EventBody = { type: "turn_started", message: "Do it", message_id: 7, model: "openai/gpt-5" };
export const text = (said: string): EventBody => ({ type: "text", text: said });
export const thought = (said: string): EventBody => ({ type: "thought", text: said });
export const done: EventBody = { type: "done", outcome: "completed", reason: null };

export const plan: Plan = {
  summary: "Change notes.txt",
  permission: "moderate",
  rule: "write:workspace",
  why: "It writes inside the workspace.",
  effects: { reads: true, writes: true, executes: false, network: false, desktop: false },
  undo: "yes",
  shapes: [
    { kind: "exact", sha256: "ab", shown: "notes.txt" },
    { kind: "folder", path: "/w" },
  ],
  result_approval: false,
};

export const planned = (callId: string): EventBody => ({
  type: "call_planned",
  call_id: callId,
  tool: "edit_file",
  arguments: { path: "notes.txt" },
  plan,
  decision: "ask",
});

export function request(more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: "q1",
    call_id: "c1",
    session_id: "s",
    caller: "chat",
    workspace: "/w",
    tool: "edit_file",
    arguments: { path: "notes.txt" },
    wanted_at: "2026-01-01T00:00:00.000Z",
    expires_at: "2036-01-01T00:05:00.000Z",
    subject: { about: "execution", plan },
    may_remember: true,
    ...more,
  };
}

export function outcome(callId: string, more: Partial<Outcome> = {}): Outcome {
  return {
    call_id: callId,
    tool: "edit_file",
    status: "success",
    text: "Changed 1 line.",
    data: null,
    error: null,
    truncated: false,
    full_output: null,
    undo: callId,
    duration_ms: 40,
    permission: "moderate",
    decision: "ask",
    rule: "r",
    decided_by: "person:web",
    ...more,
  };
}
