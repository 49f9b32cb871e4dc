// The calls whose question nobody answered in time. One that was made again since is settled by that.
import type { Row } from "./rows";

export function expiredCalls(rows: readonly Row[]): Set<string> {
  const last = new Map<string, { id: string; isExpired: boolean }>();
  for (const row of rows) {
    if (row.kind !== "assistant") continue;
    for (const item of row.turn.items) {
      if (item.kind !== "call") continue;
      const isExpired = item.outcome?.status === "expired";
      last.set(`${item.tool} ${JSON.stringify(item.arguments)}`, { id: item.callId, isExpired });
    }
  }
  return new Set([...last.values()].flatMap(({ id, isExpired }) => (isExpired ? [id] : [])));
}
