// From a stored message to what is shown: the same model as of a turn that runs.
import type { CallStep, Message, Step } from "../api/types";
import { newCall } from "./live";
import type { CallItem, Item, TurnView } from "./view";

/** What this page saw live of calls and is not stored with the message: plans, answers, live output. */
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
  const items: Item[] = (message.execution_steps ?? []).flatMap(itemOf);
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

function itemOf(step: Step, index: number): Item[] {
  const key = `${index}`;
  switch (step.type) {
    case "thought":
      return step.text === "" ? [] : [{ kind: "thought", key, text: step.text, startedAt: null, ms: null, open: false }];
    case "text":
      return step.text.trim() === "" ? [] : [{ kind: "text", key, text: step.text, open: false }];
    case "nudge":
      return [{ kind: "notice", key, notice: { about: "nudge", text: step.text } }];
    case "call":
      return [callOf(step)];
    default:
      return [];
  }
}

function callOf(step: CallStep): CallItem {
  const live = seen.get(step.call_id);
  const { end } = step;
  const stored = newCall(step.call_id, step.tool, Date.parse(step.started_at));
  if (live !== undefined && live.outcome !== null) return live;
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
      durationMs: end.duration_ms,
      decidedBy: null,
      outside: end.outside ?? null,
      edited: null,
      images: end.images ?? [],
      paths: end.paths ?? [],
    },
  };
}
