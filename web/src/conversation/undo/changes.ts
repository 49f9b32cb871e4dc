// What the calls of a session changed, and what is undone of it.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { api } from "../../api/client";
import { keys } from "../../api/keys";
import type { SessionChange } from "../../api/types";

const NONE: readonly SessionChange[] = [];

export function useChanges(sessionId: string): ReadonlyMap<string, SessionChange> {
  const { data } = useQuery({
    queryKey: keys.changes(sessionId),
    queryFn: async ({ signal }) => {
      const path = `sessions/${encodeURIComponent(sessionId)}/changes`;
      return (await api.get<{ changes: SessionChange[] }>(path, { signal })).changes;
    },
    staleTime: 0,
  });
  return useMemo(() => new Map((data ?? NONE).map((change) => [change.call_id, change])), [data]);
}

export interface TurnChanges {
  files: string[];
  /** Those of them with a change that is not undone. */
  open: string[];
  changes: number;
  undone: number;
}

/** `null`: the turn changed nothing that is known. An undo of its own change is no change of the turn. */
export function changesOf(turnId: string | null, all: Iterable<SessionChange>): TurnChanges | null {
  const own = [...all].filter((change) => change.turn_id === turnId);
  const undos = new Set(own.map((change) => change.undone_by));
  const counted = own.filter((change) => !undos.has(change.call_id));
  if (counted.length === 0) return null;
  const open = counted.filter((change) => !change.undone);
  const paths = (some: readonly SessionChange[]) => [...new Set(some.flatMap((change) => change.paths))];
  return { files: paths(counted), open: paths(open), changes: counted.length, undone: counted.length - open.length };
}
