// After a notice that the list of sessions changed: what changed stands at its head, so only that is read again, not every
// page that someone once scrolled through.
import type { InfiniteData, QueryClient } from "@tanstack/react-query";

import { keys } from "./keys";
import { sessionPage } from "./queries";
import type { SessionItem, SessionList } from "./types";

type Pages = InfiniteData<SessionList, number>;

/** The new first page before what is known of the others. */
export function withHead(known: Pages, head: SessionList): Pages {
  const fresh = new Set(head.sessions.map(({ id }) => id));
  const last = head.sessions.at(-1);
  // What is newer than the end of the head and not in it has gone; what is older was only pushed down.
  const stays = (session: SessionItem) => last !== undefined && !fresh.has(session.id) && session.updated_at <= last.updated_at;
  const whole = head.sessions.length >= head.total;
  const [first, ...others] = known.pages.map((page) => ({ ...page, sessions: whole ? [] : page.sessions.filter(stays) }));
  const [second, ...rest] = others;
  if (first === undefined || second === undefined) return { ...known, pages: [head] };
  return { ...known, pages: [head, { ...second, sessions: [...first.sessions, ...second.sessions] }, ...rest].map((page) => ({ ...page, total: head.total })) };
}

export async function refreshHeads(client: QueryClient): Promise<void> {
  // The open session and what nobody looks at: as usual. A search is asked anew by typing.
  const isList = (key: readonly unknown[]) => key[1] === "list" || key[1] === "deleted";
  void client.invalidateQueries({ queryKey: keys.sessions, predicate: ({ queryKey }) => queryKey[1] === "one" });
  void client.invalidateQueries({ queryKey: keys.sessions, predicate: ({ queryKey }) => queryKey[1] !== "one", refetchType: "none" });
  const lists = client.getQueryCache().findAll({ queryKey: keys.sessions, type: "active", predicate: ({ queryKey }) => isList(queryKey) });
  await Promise.all(
    lists.map(async ({ queryKey }) => {
      const pages = client.getQueryData<Pages>(queryKey)?.pages.length ?? 0;
      if (pages <= 1) return client.refetchQueries({ queryKey, exact: true });
      const kind = queryKey[1] === "deleted" ? ({ deleted: true } as const) : (queryKey[2] as { archived: boolean });
      // A later notice, or the next reading, tries again.
      const head = await sessionPage(kind, 1).catch(() => null);
      if (head !== null) client.setQueryData<Pages>(queryKey, (known) => known && withHead(known, head));
    }),
  );
}
