// The page's one stream of notices: pending approvals, changes of the list of sessions, and whether the server is there.
import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { api } from "./client";
import { openStream, type Stream, type StreamState } from "./events";
import { keys } from "./keys";
import type { PendingApproval } from "./types";

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
  return openStream({
    path: "notices",
    types: ["approvals", "sessions"],
    onState: (next) => {
      setState(next);
      if (next === "lost") {
        wasLost = true;
        // A stream does not say why it failed; an answer does (a token that is no longer valid).
        api.get("about").catch(() => undefined);
      } else if (next === "open" && wasLost) {
        wasLost = false;
        void client.invalidateQueries();
      }
    },
    onEvent: (type, data) => {
      if (type === "approvals") {
        client.setQueryData<PendingApproval[]>(keys.approvals, (data as { pending: PendingApproval[] }).pending);
      } else {
        void client.invalidateQueries({ queryKey: keys.sessions });
      }
    },
  });
}
