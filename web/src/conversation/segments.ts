// How a turn is laid out: what is said stands open, what is done in between is a chain.
import { type CallItem, type Item, pendingOf, type StepItem, type TextItem } from "./view";

export type Segment = { kind: "text"; key: string; item: TextItem } | { kind: "chain"; key: string; steps: StepItem[] };

export function segmentsOf(items: readonly Item[]): Segment[] {
  const segments: Segment[] = [];
  for (const item of items) {
    if (item.kind === "text") {
      segments.push({ kind: "text", key: `t${segments.length}`, item });
      continue;
    }
    const last = segments.at(-1);
    if (last?.kind === "chain") last.steps.push(item);
    else segments.push({ kind: "chain", key: `c${segments.length}`, steps: [item] });
  }
  return segments;
}

export interface ChainSum {
  calls: number;
  failed: number;
  /** Time of thoughts and calls; `null` where nobody counted. */
  ms: number | null;
  running: CallItem | null;
  pending: CallItem | null;
}

const WELL = new Set(["success"]);

export function sumOf(steps: readonly StepItem[]): ChainSum {
  const sum: ChainSum = { calls: 0, failed: 0, ms: null, running: null, pending: null };
  for (const step of steps) {
    if (step.kind === "notice") continue;
    const ms = step.kind === "thought" ? step.ms : (step.outcome?.durationMs ?? null);
    if (ms !== null) sum.ms = (sum.ms ?? 0) + ms;
    if (step.kind === "thought") continue;
    sum.calls += 1;
    if (step.outcome === null) sum.running = step;
    else if (!WELL.has(step.outcome.status)) sum.failed += 1;
    if (pendingOf(step) !== null) sum.pending = step;
  }
  return sum;
}
