// The page's one stream of notices: pending approvals, changes of the list of sessions, and whether the server is there.
import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { api } from "./client";
import { openStream, type Stream, type StreamState } from "./events";
import { refreshHeads } from "./heads";
import { keys } from "./keys";
import { openShared } from "./shared";
import type { ApprovalRequest } from "./types";

type Notice = { state: StreamState } | { approvals: ApprovalRequest[] } | { sessions: true };

let state: StreamState = "connecting";
const listeners = new Set<() => void>();

function setState(next: StreamState): void {
  if (next === state) return;
  state = next;
  listeners.forEach((listener) => listener());
}

export function useConnection(): StreamState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

export function openNotices(client: QueryClient): Stream {
  let wasLost = false;

  const onMessage = (notice: Notice) => {
    if ("approvals" in notice) {
      client.setQueryData<ApprovalRequest[]>(keys.approvals, notice.approvals);
    } else if ("sessions" in notice) {
      void refreshHeads(client);
    } else {
      setState(notice.state);
      if (notice.state === "lost") {
        wasLost = true;
        // A stream does not say why it failed; an answer does (a token that is no longer valid).
        api.get("about").catch(() => undefined);
      } else if (notice.state === "open" && wasLost) {
        wasLost = false;
        void client.invalidateQueries();
      }
    }
  };

  return openShared<Notice>({
    name: "deskhand.notices",
    onMessage,
    catchUp: () => [{ state }, { approvals: client.getQueryData<ApprovalRequest[]>(keys.approvals) ?? [] }],
    open: (tell) =>
      openStream({
        path: "notices",
        types: ["approvals", "sessions"],
        onState: (next) => tell({ state: next }),
        onEvent: (type, data) => {
          if (type === "approvals") tell({ approvals: (data as { pending: ApprovalRequest[] }).pending });
          else tell({ sessions: true });
        },
      }),
  });
}
