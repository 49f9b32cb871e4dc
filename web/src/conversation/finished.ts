// From a stored message to what is shown: the same model as of a turn that runs.
import type { CallStep, Message, SessionEvent, Step } from "../api/types";
import { newCall, reduceAll, startOf } from "./live";
import type { CallItem, Item, TurnView } from "./view";

/** What this page saw live of calls: that is also what they printed on the way, which no list of messages tells. */
const seen = new Map<string, CallItem>();
const MOST_SEEN = 500;

export function keepSeen(turn: TurnView): void {
  for (const item of turn.items) {
    if (item.kind !== "call") continue;
    seen.delete(item.callId);
    seen.set(item.callId, item);
  }
  for (const id of seen.keys()) {
    if (seen.size <= MOST_SEEN) break;
    seen.delete(id);
  }
}

export function forgetSeen(): void {
  seen.clear();
}

export function turnOf(message: Message): TurnView {
  const { metadata } = message;
  const told = callsIn(message.call_events ?? []);
  const items: Item[] = (message.execution_steps ?? []).flatMap((step, index) => itemOf(step, index, told));
  if (message.content !== "") {
    items.push({ kind: "text", key: `${items.length}`, text: message.content, open: false });
  }
  return {
    turnId: metadata.turn_id ?? null,
    model: metadata.model ?? null,
    items,
    usage: metadata.usage ?? null,
    outcome: metadata.outcome ?? "completed",
    reason: metadata.reason ?? null,
    incomplete: metadata.incomplete ?? false,
    startedAt: null,
    endedAt: Date.parse(message.timestamp),
  };
}

/** The calls as a page that watches them sees them. */
function callsIn(events: readonly SessionEvent[]): Map<string, CallItem> {
  const items = reduceAll(startOf(0), events).turn?.items ?? [];
  return new Map(items.flatMap((item) => (item.kind === "call" ? [[item.callId, item]] : [])));
}

function itemOf(step: Step, index: number, told: ReadonlyMap<string, CallItem>): Item[] {
  const key = `${index}`;
  switch (step.type) {
    case "thought":
      return step.text === "" ? [] : [{ kind: "thought", key, text: step.text, startedAt: null, ms: null, open: false }];
    case "text":
      return step.text.trim() === "" ? [] : [{ kind: "text", key, text: step.text, open: false }];
    case "nudge":
      return [{ kind: "notice", key, notice: { about: "nudge", text: step.text } }];
    case "call":
      return [callOf(step, told.get(step.call_id))];
    default:
      return [];
  }
}

function callOf(step: CallStep, told: CallItem | undefined): CallItem {
  const live = seen.get(step.call_id);
  const { end } = step;
  if (live !== undefined && live.outcome !== null) return live;
  const stored = { ...newCall(step.call_id, step.tool, Date.parse(step.started_at)), ...told };
  if (stored.outcome !== null) return { ...stored, outcome: { ...stored.outcome, images: end?.images ?? [] } };
  if (end === undefined) return { ...stored, arguments: step.arguments };
  return {
    ...stored,
    arguments: step.arguments,
    decision: end.decision ?? null,
    outcome: {
      status: end.status,
      text: end.result,
      data: null,
      error: null,
      errorCode: end.error_code ?? null,
      truncated: end.full_output !== undefined,
      fullOutput: end.full_output ?? null,
      undo: end.undo ?? null,
      changes: [],
      kept: null,
      durationMs: end.duration_ms,
      decidedBy: null,
      rule: null,
      outside: end.outside ?? null,
      edited: null,
      images: end.images ?? [],
      paths: end.paths ?? [],
    },
  };
}
