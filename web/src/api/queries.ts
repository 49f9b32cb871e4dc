// Hooks that read from the server.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { api } from "./client";
import { keys } from "./keys";
import type {
  About,
  Grant,
  Models,
  ApprovalRequest,
  ProcessInfo,
  SearchHits,
  SessionDetail,
  SessionList,
  Settings,
  ToolInfo,
  UndoableChange,
  Upload,
} from "./types";

export const PAGE_SIZE = 30;

export function useAbout() {
  return useQuery({ queryKey: keys.about, queryFn: ({ signal }) => api.get<About>("about", { signal }) });
}

/** One page of the sessions of a kind. */
export function sessionPage(kind: { archived: boolean } | { deleted: true }, page: number, signal?: AbortSignal): Promise<SessionList> {
  return api.get<SessionList>("sessions", { query: { page, page_size: PAGE_SIZE, ...kind }, ...(signal ? { signal } : {}) });
}

export function useSessions(archived: boolean) {
  return useInfiniteQuery({
    queryKey: keys.sessionList(archived),
    queryFn: ({ pageParam, signal }) => sessionPage({ archived }, pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: (last) => (last.page * last.page_size < last.total ? last.page + 1 : undefined),
  });
}

export function useDeletedSessions() {
  return useInfiniteQuery({
    queryKey: keys.deletedSessions,
    queryFn: ({ pageParam, signal }) => sessionPage({ deleted: true }, pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: (last) => (last.page * last.page_size < last.total ? last.page + 1 : undefined),
  });
}

export function useSearch(text: string) {
  return useInfiniteQuery({
    queryKey: keys.search(text),
    queryFn: ({ pageParam, signal }) =>
      api.get<SearchHits>("sessions/search", { query: { q: text, page: pageParam, page_size: PAGE_SIZE }, signal }),
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (last.has_more ? pages.length + 1 : undefined),
    enabled: text !== "",
  });
}

export function useSession(id: string | undefined) {
  return useQuery({
    queryKey: keys.session(id ?? ""),
    queryFn: ({ signal }) => api.get<SessionDetail>(`sessions/${encodeURIComponent(id ?? "")}`, { signal }),
    enabled: id !== undefined,
  });
}

export function useUploads(sessionId: string | undefined) {
  return useQuery({
    queryKey: keys.uploads(sessionId ?? ""),
    queryFn: async ({ signal }) => {
      const path = `sessions/${encodeURIComponent(sessionId ?? "")}/uploads`;
      return (await api.get<{ uploads: Upload[] }>(path, { signal })).uploads;
    },
    enabled: sessionId !== undefined,
  });
}

export function useTools() {
  return useQuery({
    queryKey: keys.tools,
    queryFn: async ({ signal }) => (await api.get<{ tools: ToolInfo[] }>("tools", { signal })).tools,
    staleTime: 60_000,
  });
}

/** Kept fresh by the stream of notices; asked for once at the start. */
export function useApprovals() {
  return useQuery({
    queryKey: keys.approvals,
    queryFn: async ({ signal, client }) => {
      const held = () => client.getQueryState<ApprovalRequest[]>(keys.approvals);
      const before = held()?.dataUpdateCount;
      const { approvals } = await api.get<{ approvals: ApprovalRequest[] }>("approvals", { signal });
      // What the stream has told meanwhile is newer than this answer.
      const now = held();
      return now?.data !== undefined && now.dataUpdateCount !== before ? now.data : approvals;
    },
    staleTime: Infinity,
  });
}

export function useModels() {
  return useQuery({ queryKey: keys.models, queryFn: ({ signal }) => api.get<Models>("models", { signal }) });
}

export function useSettings() {
  return useQuery({ queryKey: keys.settings, queryFn: ({ signal }) => api.get<Settings>("settings", { signal }) });
}

export function useGrants() {
  return useQuery({
    queryKey: keys.grants,
    queryFn: async ({ signal }) => (await api.get<{ grants: Grant[] }>("grants", { signal })).grants,
  });
}

export function useUndoList() {
  return useQuery({
    queryKey: keys.undo,
    queryFn: async ({ signal }) => (await api.get<{ changes: UndoableChange[] }>("undo", { signal })).changes,
  });
}

export function useProcesses() {
  return useQuery({
    queryKey: keys.processes,
    queryFn: async ({ signal }) => (await api.get<{ processes: ProcessInfo[] }>("processes", { signal })).processes,
    refetchInterval: 5000,
  });
}
