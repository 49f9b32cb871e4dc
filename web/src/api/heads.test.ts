import { type InfiniteData, QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";

import { serve } from "../test/page";
import { refreshHeads, withHead } from "./heads";
import { keys } from "./keys";
import type { SessionItem, SessionList } from "./types";

afterEach(() => vi.unstubAllGlobals());

/** `b5`: the session b, changed at 5. */
const session = (name: string) => ({ id: name[0] ?? "", updated_at: name.slice(1) }) as SessionItem;
const page = (number: number, total: number, ...names: string[]): SessionList => ({ total, page: number, page_size: 2, sessions: names.map(session) });
const shown = (data: InfiniteData<SessionList, number>) => data.pages.map(({ sessions }) => sessions.map(({ id }) => id).join(""));
const known: InfiniteData<SessionList, number> = { pages: [page(1, 5, "a9", "b8"), page(2, 5, "c7", "d6")], pageParams: [1, 2] };

test.each([
  ["a new one pushes others down, and none is lost", page(1, 6, "x9", "a9"), ["xa", "bcd"]],
  ["one that was changed moves up, and stands there once", page(1, 5, "d9", "a9"), ["da", "bc"]],
  ["one that is gone is gone", page(1, 4, "b8", "c7"), ["bc", "d"]],
  ["a list that became short is that short", page(1, 2, "a9", "b8"), ["ab", ""]],
])("%s", (_, head, pages) => {
  const after = withHead(known, head);
  expect(shown(after)).toEqual(pages);
  expect(after.pages.map(({ total }) => total)).toEqual([head.total, head.total]);
});

test("a notice reads the first page only, however many are known", async () => {
  const log = serve({ "GET sessions": () => page(1, 6, "x9", "a9") });
  const client = new QueryClient();
  client.setQueryData(keys.sessionList(false), known);
  client.setQueryData(keys.search("q"), known);
  const observers = [keys.sessionList(false), keys.search("q")].map((queryKey) => new QueryObserver(client, { queryKey, staleTime: Infinity }).subscribe(() => undefined));
  await refreshHeads(client);
  expect(log.map(({ path, query }) => [path, query.get("page"), query.get("archived")])).toEqual([["sessions", "1", "false"]]);
  expect(shown(client.getQueryData<InfiniteData<SessionList, number>>(keys.sessionList(false)) ?? known)).toEqual(["xa", "bcd"]);
  observers.forEach((leave) => leave());
});
