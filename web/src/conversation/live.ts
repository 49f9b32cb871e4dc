// From events to what is shown: one pure step per event. An event that was seen before changes nothing.
import type { ApprovalRequest, Outcome, PathText, Plan, SessionEvent, Usage } from "../api/types";
import type { ApprovalView, CallItem, CallOutcome, Item, Notice, NoticeItem, TurnView } from "./view";

/** What is kept of a call's live output, and of one thought. */
const MOST_OUTPUT = 100_000;
const MOST_THOUGHT = 200_000;
const MOST_NOTICES = 20;

export interface LiveState {
  /** The newest event that is in here. */
  seq: number;
  turn: TurnView | null;
  /** What the person said to begin the turn. */
  said: { id: number; text: string; at: string } | null;
  /** What happened outside a turn. */
  notices: readonly NoticeItem[];
  /** Grows whenever the stored messages are no longer what they were. */
  stale: number;
}

export function startOf(seq: number): LiveState {
  return { seq, turn: null, said: null, notices: [], stale: 0 };
}

export function reduceAll(state: LiveState, events: readonly SessionEvent[]): LiveState {
  return events.reduce(reduce, state);
}

export function reduce(state: LiveState, event: SessionEvent): LiveState {
  if (event.seq <= state.seq) return state;
  const next = { ...state, seq: event.seq };
  switch (event.type) {
    case "turn_started":
      return {
        ...next,
        stale: state.stale + 1,
        said: { id: event.message_id, text: event.message, at: event.at },
        turn: newTurn(event, event.model ?? null),
      };
    case "thought":
      return withTurn(next, event, (turn) => think(turn, event.text, event));
    case "text":
      return withTurn(next, event, (turn) => say(turn, event.text, event));
    case "call_planned":
      return withCall(next, event, event.call_id, event.tool, (call) => ({
        ...call,
        tool: event.tool,
        arguments: event.arguments,
        ...planned(call, event.plan),
        permission: event.plan.permission,
        decision: event.decision,
      }));
    case "approval_wanted": {
      const { request } = event;
      return withCall(next, event, request.call_id, request.tool, (call) => ({
        ...call,
        // Where it is asked anew, it is asked about these.
        arguments: request.arguments,
        ...(request.subject.about === "execution" ? planned(call, lasting(request.subject.plan)) : {}),
        approvals: put(call.approvals, { request, settled: null }),
      }));
    }
    case "approval_settled":
      return withCall(next, event, event.call_id, "", (call) => ({
        ...call,
        approvals: call.approvals.map((approval) =>
          approval.request.id === event.approval_id ? { request: answered(approval.request), settled: event.settled } : approval,
        ),
      }));
    case "call_output":
      return withCall(next, event, event.call_id, "", (call) => {
        const { progress } = event;
        // A number says how far it is; without one the text is what was printed.
        if (progress.done !== null || progress.total !== null) return { ...call, progress };
        const output = call.output + progress.text;
        const cut = output.length > MOST_OUTPUT;
        return { ...call, output: cut ? output.slice(-MOST_OUTPUT) : output, outputCut: call.outputCut || cut };
      });
    case "call_ended":
      return withCall(next, event, event.outcome.call_id, event.outcome.tool, (call) => ({
        ...call,
        tool: event.outcome.tool,
        permission: event.outcome.permission ?? call.permission,
        decision: event.outcome.decision ?? call.decision,
        progress: null,
        outcome: outcomeOf(event.outcome),
      }));
    case "usage":
      return withTurn(next, event, (turn) => ({ ...turn, usage: add(turn.usage, event) }));
    case "notice":
      return note(next, event, { about: "notice", text: event.text });
    case "compacted":
      return note({ ...next, stale: state.stale + 1 }, event, {
        about: "compacted",
        messages: event.messages,
        before: event.tokens_before,
        after: event.tokens_after,
      });
    case "process_ended":
      return note(next, event, {
        about: "process",
        id: event.process_id,
        command: event.command,
        status: event.status,
        exitCode: event.exit_code,
      });
    case "done":
      return withTurn({ ...next, stale: state.stale + 1 }, event, (turn) => ({
        ...closed(turn, event),
        outcome: event.outcome,
        reason: event.reason,
        incomplete: event.incomplete ?? false,
        endedAt: Date.parse(event.at),
      }));
    default:
      // A newer server may tell of things that this page does not know.
      return next;
  }
}

/** A plan to keep changes stands beside the plan of the command that made them. */
function planned(call: CallItem, plan: Plan): Pick<CallItem, "plan" | "changes" | "diff"> {
  const { changes, preview } = plan;
  if (changes === undefined) return { plan, changes: null, diff: null };
  return { plan: call.plan ?? plan, changes, diff: preview?.kind === "diff" && preview.text !== "" ? preview.text : null };
}

/** The plan without what is only for whoever is asked, while they are asked. */
function lasting(plan: Plan): Plan {
  if (plan.private_preview !== true) return plan;
  const kept = { ...plan };
  delete kept.preview;
  return kept;
}

/** The question without that: a result has gone where it may go, or nowhere. */
function answered(request: ApprovalRequest): ApprovalRequest {
  const { subject } = request;
  return subject.about === "execution"
    ? { ...request, subject: { ...subject, plan: lasting(subject.plan) } }
    : { ...request, subject: { about: "result", text: "", data: null } };
}

function newTurn(event: SessionEvent, model: string | null): TurnView {
  return {
    turnId: event.turn_id,
    model,
    items: [],
    usage: null,
    outcome: null,
    reason: null,
    incomplete: false,
    startedAt: Date.parse(event.at),
    endedAt: null,
  };
}

/** The turn of this event; a page that came in the middle has not seen it begin. */
function withTurn(state: LiveState, event: SessionEvent, change: (turn: TurnView) => TurnView): LiveState {
  const known = state.turn !== null && state.turn.turnId === event.turn_id;
  // The first end of a turn is its end.
  if (known && state.turn?.outcome !== null) return state;
  const turn = known && state.turn !== null ? state.turn : newTurn(event, null);
  return { ...state, turn: change(turn), said: known ? state.said : null };
}

function withCall(
  state: LiveState,
  event: SessionEvent,
  callId: string,
  tool: string,
  change: (call: CallItem) => CallItem,
): LiveState {
  return withTurn(state, event, (before) => {
    const index = before.items.findIndex((item) => item.kind === "call" && item.callId === callId);
    const found = before.items[index];
    if (found?.kind === "call") {
      const items = before.items.slice();
      items[index] = change(found);
      return { ...before, items };
    }
    const turn = closed(before, event);
    return { ...turn, items: [...turn.items, change(newCall(callId, tool, Date.parse(event.at)))] };
  });
}

export function newCall(callId: string, tool: string, startedAt: number | null): CallItem {
  return {
    kind: "call",
    key: callId,
    callId,
    tool,
    arguments: null,
    plan: null,
    changes: null,
    diff: null,
    permission: null,
    decision: null,
    approvals: [],
    output: "",
    outputCut: false,
    progress: null,
    startedAt,
    outcome: null,
  };
}

function think(turn: TurnView, text: string, event: SessionEvent): TurnView {
  const last = turn.items.at(-1);
  if (last?.kind === "thought" && last.open) {
    return last.text.length >= MOST_THOUGHT ? turn : replaceLast(turn, { ...last, text: last.text + text });
  }
  const before = closed(turn, event);
  const startedAt = Date.parse(event.at);
  const key = `${before.items.length}`;
  return { ...before, items: [...before.items, { kind: "thought", key, text, startedAt, ms: null, open: true }] };
}

function say(turn: TurnView, text: string, event: SessionEvent): TurnView {
  const last = turn.items.at(-1);
  if (last?.kind === "text" && last.open) return replaceLast(turn, { ...last, text: last.text + text });
  // Models begin with empty lines, and some say nothing else before a call.
  const begun = text.replace(/^[\r\n]+/, "");
  if (begun === "") return turn;
  const before = closed(turn, event);
  return { ...before, items: [...before.items, { kind: "text", key: `${before.items.length}`, text: begun, open: true }] };
}

/** Whatever was being said or thought has ended by this event. */
function closed(turn: TurnView, event: SessionEvent): TurnView {
  const last = turn.items.at(-1);
  if (last === undefined || last.kind === "call" || last.kind === "notice" || !last.open) return turn;
  if (last.kind === "text") return replaceLast(turn, { ...last, open: false });
  const ms = last.startedAt === null ? null : Math.max(0, Date.parse(event.at) - last.startedAt);
  return replaceLast(turn, { ...last, open: false, ms });
}

function replaceLast(turn: TurnView, item: Item): TurnView {
  return { ...turn, items: [...turn.items.slice(0, -1), item] };
}

function note(state: LiveState, event: SessionEvent, notice: Notice): LiveState {
  if (event.turn_id !== null && state.turn?.turnId === event.turn_id && state.turn.outcome === null) {
    return withTurn(state, event, (turn) => {
      const before = closed(turn, event);
      return { ...before, items: [...before.items, { kind: "notice", key: `n${event.seq}`, notice }] };
    });
  }
  const item: NoticeItem = { kind: "notice", key: `n${event.seq}`, notice };
  return { ...state, notices: [...state.notices, item].slice(-MOST_NOTICES) };
}

function put(all: readonly ApprovalView[], one: ApprovalView): ApprovalView[] {
  return [...all.filter((approval) => approval.request.id !== one.request.id), one];
}

function add(sum: Usage | null, more: Usage): Usage {
  const cost = sum?.cost === undefined && more.cost === undefined ? {} : { cost: (sum?.cost ?? 0) + (more.cost ?? 0) };
  return {
    input_tokens: (sum?.input_tokens ?? 0) + more.input_tokens,
    output_tokens: (sum?.output_tokens ?? 0) + more.output_tokens,
    cached_tokens: (sum?.cached_tokens ?? 0) + more.cached_tokens,
    ...cost,
  };
}

function outcomeOf(outcome: Outcome): CallOutcome {
  return {
    status: outcome.status,
    text: outcome.text,
    data: outcome.data,
    error: outcome.error,
    errorCode: outcome.error?.code ?? null,
    truncated: outcome.truncated,
    fullOutput: outcome.full_output,
    undo: outcome.undo,
    changes: outcome.changes ?? [],
    kept: outcome.kept ?? null,
    durationMs: outcome.duration_ms,
    decidedBy: outcome.decided_by,
    rule: outcome.rule,
    outside: outcome.outside ?? null,
    edited: outcome.edited ?? null,
    images: outcome.images ?? [],
    paths: (outcome.paths ?? []).map(shownPath),
  };
}

export function shownPath(path: PathText): string {
  return typeof path === "string" ? path : `0x${path.bytes}`;
}
