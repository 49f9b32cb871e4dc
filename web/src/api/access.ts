// Whether the server lets this page in. Set by the client when an answer is 401, read by the app.
import { useSyncExternalStore } from "react";

let refused = false;
const listeners = new Set<() => void>();

export function setRefused(value: boolean): void {
  if (refused === value) return;
  refused = value;
  listeners.forEach((listener) => listener());
}

export function useRefused(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => refused,
  );
}
