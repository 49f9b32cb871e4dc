// Folders and files, read through the tools so that the one path policy holds here, too.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRef } from "react";

import { api } from "../api/client";
import { call } from "../api/execute";
import { keys } from "../api/keys";
import type { Image, MessageList, Step } from "../api/types";

export interface FolderEntry {
  path: string;
  kind: "file" | "folder" | "link" | "special";
  size?: number;
  modified?: string;
}

export interface FolderPage {
  path: string;
  entries: FolderEntry[];
  total: number;
  offset: number;
  next_offset?: number;
}

const inSession = (id: string | undefined) => (id === undefined ? {} : { session_id: id });

export function useFolder(path: string, sessionId: string | undefined, hidden: boolean) {
  return useInfiniteQuery({
    queryKey: [...keys.folder(path, sessionId), { hidden }],
    queryFn: async ({ pageParam, signal }) => {
      const parameters = { path, offset: pageParam, limit: 200, include_hidden: hidden };
      return (await call<FolderPage>({ tool_name: "list_dir", parameters, ...inSession(sessionId) }, signal)).data;
    },
    initialPageParam: 0,
    getNextPageParam: (last) => last.next_offset,
    retry: false,
  });
}

export interface FilePart {
  path: string;
  size: number;
  mime: string;
  content: string;
  encoding?: string;
  start_line?: number;
  end_line?: number;
  total_lines?: number;
  truncated: boolean;
  next_start_line?: number;
  notes?: string[];
  images: Image[];
}

const LINES_AT_ONCE = 500;

/** `planId`: the plan that the person agreed to, which covers the first part. Later parts are calls of their own. */
export function useFile(path: string, sessionId: string | undefined, planId: string | null) {
  const agreed = useRef(new Map<number, string>());
  const file = useInfiniteQuery({
    queryKey: [...keys.file(path, sessionId), planId],
    queryFn: async ({ pageParam, signal }) => {
      // An image has no lines to ask for: the first part is asked for whole, the server bounds it.
      const parameters: Record<string, string | number> = { path };
      if (pageParam > 1) {
        parameters.start_line = pageParam;
        parameters.end_line = pageParam + LINES_AT_ONCE - 1;
      }
      const plan = pageParam === 1 ? planId : (agreed.current.get(pageParam) ?? null);
      const read = await call<Omit<FilePart, "images">>(
        {
          tool_name: "read_file",
          parameters,
          ...inSession(sessionId),
          ...(plan === null ? {} : { plan_id: plan, require_confirmation: true }),
        },
        signal,
      );
      return { ...read.data, images: read.outcome?.images ?? [] };
    },
    initialPageParam: 1,
    getNextPageParam: (last) => last.next_start_line,
    retry: false,
    refetchOnReconnect: false,
    // A plan holds for one reading: what was read by it is never read again by itself.
    ...(planId === null ? {} : { staleTime: "static" as const }),
  });
  const { fetchNextPage, data } = file;
  const next = data?.pages.at(-1)?.next_start_line;
  /** The next part, with the plan that the person agreed to for it. */
  const readOn = (plan: string | null) => {
    if (next !== undefined && plan !== null) agreed.current.set(next, plan);
    void fetchNextPage();
  };
  return { file, readOn };
}

export interface SessionOutput {
  path: string;
  tool: string;
  kept: boolean;
  at: string;
}

/** What the calls of a session changed, and whole outputs that were kept; the newest first, each path once. */
export function outputsOf(steps: readonly Step[]): SessionOutput[] {
  const found = new Map<string, SessionOutput>();
  for (const step of [...steps].reverse()) {
    if (step.type !== "call" || step.end === undefined) continue;
    const { tool, end } = step;
    const changed = end.undo === undefined ? [] : (end.paths ?? []);
    for (const path of changed) {
      if (!found.has(path)) found.set(path, { path, tool, kept: false, at: end.ended_at });
    }
    if (end.full_output !== undefined) {
      found.set(end.full_output, { path: end.full_output, tool, kept: true, at: end.ended_at });
    }
  }
  return [...found.values()];
}

export function useOutputs(sessionId: string | undefined) {
  return useQuery({
    queryKey: [...keys.messages(sessionId ?? ""), "outputs"],
    queryFn: async ({ signal }) => {
      const path = `sessions/${encodeURIComponent(sessionId ?? "")}/messages`;
      const { messages } = await api.get<MessageList>(path, { query: { last: 100 }, signal });
      return outputsOf(messages.flatMap((message) => message.execution_steps ?? []));
    },
    enabled: sessionId !== undefined,
  });
}
