// What happens in a session now: begins where the stored messages end.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";

import { api } from "../api/client";
import { keys } from "../api/keys";
import type { SessionDetail } from "../api/types";
import { startOf } from "./live";
import { LiveStore } from "./liveStore";
import type { TurnView } from "./view";

const NOTHING = startOf(0);

export function useLive(sessionId: string) {
  const client = useQueryClient();
  const session = useQuery({
    queryKey: keys.session(sessionId),
    queryFn: ({ signal }) => api.get<SessionDetail>(`sessions/${encodeURIComponent(sessionId)}`, { signal }),
    // What was kept from an earlier visit does not say where the events are now.
    refetchOnMount: "always",
  });
  const begin = session.isFetchedAfterMount && session.data !== undefined ? startAfter(session.data) : null;
  // Only the first word counts: the stream itself knows all that comes later.
  const first = useFirst(begin);
  const store = useMemo(() => (first === null ? null : new LiveStore(first)), [first]);
  useEffect(() => {
    if (store === null) return;
    const stream = store.open(sessionId);
    return () => stream.close();
  }, [store, sessionId]);
  const live = useSyncExternalStore(store?.subscribe ?? noSubscribe, store?.get ?? nothing);
  const { stale } = live;
  useEffect(() => {
    if (stale === 0) return;
    void client.invalidateQueries({ queryKey: keys.messages(sessionId) });
    void client.invalidateQueries({ queryKey: keys.session(sessionId) });
    void client.invalidateQueries({ queryKey: keys.uploads(sessionId) });
  }, [client, sessionId, stale]);
  const changed = changesIn(live.turn);
  useEffect(() => {
    void client.invalidateQueries({ queryKey: keys.changes(sessionId) });
  }, [client, sessionId, stale, changed]);
  return { session, live, begin: first };
}

/** How many calls of a turn changed something. */
function changesIn(turn: TurnView | null): number {
  return (turn?.items ?? []).filter((item) => item.kind === "call" && item.outcome !== null && item.outcome.undo !== null).length;
}

/** The event behind which the stream begins. */
export function startAfter(detail: SessionDetail): number {
  return detail.turn === null ? detail.last_event : detail.turn.first_event - 1;
}

function useFirst(value: number | null): number | null {
  const [kept, setKept] = useState(value);
  if (kept === null && value !== null) setKept(value);
  return kept;
}

const noSubscribe = () => () => undefined;
const nothing = () => NOTHING;
