// Counting what a command changed, and the order in which it is shown.
import type { ChangedEntry, ChangeSummary } from "../../api/types";

/** An outcome has the lines alone; they are counted here. */
export function summaryOf(entries: readonly ChangedEntry[]): ChangeSummary {
  const summary: ChangeSummary = { created: 0, modified: 0, deleted: 0, moved: 0, mode: 0, bytes: 0, deleted_bytes: 0, entries: [...entries] };
  for (const entry of entries) {
    summary[entry.kind] += entry.entries ?? 1;
    if (entry.kind === "created" || entry.kind === "modified") summary.bytes += entry.bytes;
    if (entry.kind === "deleted") summary.deleted_bytes += entry.bytes;
  }
  return summary;
}

/** How many entries changed. */
export function countOf({ created, modified, deleted, moved, mode }: ChangeSummary): number {
  return created + modified + deleted + moved + mode;
}

/** What runs later first, ignored output last; the rest as the server ordered it. */
export function inOrder(entries: readonly ChangedEntry[]): ChangedEntry[] {
  const rank = (entry: ChangedEntry) => (entry.runs_later !== undefined ? 0 : entry.ignored === true ? 2 : 1);
  return entries.toSorted((one, other) => rank(one) - rank(other));
}
