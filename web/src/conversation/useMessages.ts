// The messages of a session: the newest first, earlier ones as they are asked for.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";

import { api } from "../api/client";
import { keys } from "../api/keys";
import type { Message, MessageList, SessionEvent } from "../api/types";

const FIRST = 50;
const EARLIER = 100;

export interface Messages {
  messages: readonly Message[];
  total: number;
  /** The newest event when the newest of them were read: what later ones tell of may not be in here. */
  lastEvent: number;
}

/** Puts what the events tell of calls to the answers that made them. */
export function withCallEvents({ call_events: events = [], ...page }: MessageList): MessageList {
  if (events.length === 0) return page;
  const byTurn = new Map<string | null, SessionEvent[]>();
  for (const event of events) byTurn.set(event.turn_id, [...(byTurn.get(event.turn_id) ?? []), event]);
  const messages = page.messages.map((message) => {
    const own = message.role === "assistant" ? byTurn.get(message.metadata.turn_id ?? null) : undefined;
    return own === undefined ? message : { ...message, call_events: own };
  });
  return { ...page, messages };
}

/** What is known already, and the newest page: they are joined where they meet. */
export function joined(before: Messages | undefined, page: MessageList): Messages {
  const first = page.messages[0];
  if (before === undefined || first === undefined) return { messages: page.messages, total: page.total, lastEvent: page.last_event };
  const meets = before.messages.some((message) => message.id >= first.id);
  const earlier = meets ? before.messages.filter((message) => message.id < first.id) : [];
  return { messages: [...earlier, ...page.messages], total: page.total, lastEvent: page.last_event };
}

export function withEarlier(before: Messages | undefined, page: MessageList): Messages {
  const first = before?.messages[0];
  const earlier = page.messages.filter((message) => first === undefined || message.id < first.id);
  return {
    messages: [...earlier, ...(before?.messages ?? [])],
    total: page.total,
    lastEvent: before?.lastEvent ?? page.last_event,
  };
}

function path(sessionId: string): string {
  return `sessions/${encodeURIComponent(sessionId)}/messages`;
}

/** The message before this one; 0 where there is none. */
export async function messageBefore(sessionId: string, id: number): Promise<number> {
  const page = await api.get<MessageList>(path(sessionId), { query: { last: 1, before: id } });
  return page.messages.at(-1)?.id ?? 0;
}

export function useMessages(sessionId: string) {
  const client = useQueryClient();
  const key = keys.messages(sessionId);
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const page = withCallEvents(await api.get<MessageList>(path(sessionId), { query: { last: FIRST, call_events: true }, signal }));
      // What is known by now: earlier ones may have come meanwhile.
      return joined(client.getQueryData<Messages>(key), page);
    },
    staleTime: 0,
  });
  const { data } = query;
  const underWay = useRef(false);
  const [loadingEarlier, setLoading] = useState(false);
  const loadEarlier = useCallback(
    async (count = EARLIER) => {
      const first = client.getQueryData<Messages>(keys.messages(sessionId))?.messages[0];
      if (underWay.current || first === undefined) return;
      underWay.current = true;
      setLoading(true);
      try {
        const query = { last: count, before: first.id, call_events: true };
        const page = withCallEvents(await api.get<MessageList>(path(sessionId), { query }));
        client.setQueryData<Messages>(keys.messages(sessionId), (before) => withEarlier(before, page));
      } catch {
        // Scrolling up asks again.
      } finally {
        underWay.current = false;
        setLoading(false);
      }
    },
    [client, sessionId],
  );
  return {
    query,
    messages: data?.messages ?? NONE,
    hasEarlier: data !== undefined && data.messages.length < data.total,
    loadEarlier,
    loadingEarlier,
  };
}

const NONE: readonly Message[] = [];
