// What one turn looks like: the same for a turn that runs (made from events) and for one that is stored (made from steps).
import type {
  ApprovalRequest,
  ChangedEntry,
  ChangeSummary,
  Decision,
  ErrorBody,
  Image,
  Json,
  Permission,
  Plan,
  Progress,
  Settled,
  Status,
  TurnOutcome,
  Usage,
} from "../api/types";

export interface ThoughtItem {
  kind: "thought";
  key: string;
  text: string;
  startedAt: number | null;
  /** How long it took; `null` while it goes on, or where nobody counted. */
  ms: number | null;
  open: boolean;
}

export interface TextItem {
  kind: "text";
  key: string;
  text: string;
  open: boolean;
}

export interface NoticeItem {
  kind: "notice";
  key: string;
  notice: Notice;
}

export type Notice =
  | { about: "notice"; text: string }
  | { about: "nudge"; text: string }
  | { about: "compacted"; messages: number; before: number; after: number }
  | { about: "process"; id: string; command: string; status: string; exitCode: number | null };

export interface ApprovalView {
  request: ApprovalRequest;
  settled: Settled | null;
}

export interface CallOutcome {
  status: Status;
  text: string;
  data: Json;
  error: ErrorBody | null;
  errorCode: string | null;
  truncated: boolean;
  fullOutput: string | null;
  undo: string | null;
  changes: readonly ChangedEntry[];
  /** Whether they were kept; `null` if there were none. */
  kept: boolean | null;
  durationMs: number;
  decidedBy: string | null;
  /** The rule that decided. */
  rule: string | null;
  outside: string | null;
  edited: Json;
  images: readonly Image[];
  paths: readonly string[];
}

export interface CallItem {
  kind: "call";
  key: string;
  callId: string;
  tool: string;
  arguments: Json;
  plan: Plan | null;
  /** What its command changed, as far as a plan to keep it said so. */
  changes: ChangeSummary | null;
  /** The diff of that. */
  diff: string | null;
  permission: Permission | null;
  decision: Decision | null;
  approvals: readonly ApprovalView[];
  /** The newest part of what it printed while it ran. */
  output: string;
  outputCut: boolean;
  progress: Progress | null;
  startedAt: number | null;
  outcome: CallOutcome | null;
}

export type Item = ThoughtItem | TextItem | NoticeItem | CallItem;
export type StepItem = Exclude<Item, TextItem>;

export interface TurnView {
  turnId: string | null;
  model: string | null;
  items: readonly Item[];
  usage: Usage | null;
  /** `null` while it runs. */
  outcome: TurnOutcome | null;
  reason: string | null;
  /** What was said broke off. */
  incomplete: boolean;
  startedAt: number | null;
  endedAt: number | null;
}

/** The question of this call that still waits, if one does. */
export function pendingOf(call: CallItem): ApprovalView | null {
  if (call.outcome !== null) return null;
  return call.approvals.find((approval) => approval.settled === null) ?? null;
}

export function isRunning(turn: TurnView | null): boolean {
  return turn !== null && turn.outcome === null;
}

/** All that was said, without thoughts and steps. */
export function saidIn(turn: TurnView): string {
  return turn.items
    .filter((item) => item.kind === "text")
    .map((item) => item.text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}
