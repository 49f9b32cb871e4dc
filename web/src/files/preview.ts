// Which file is being looked at. Any part of the page may ask for one: `openPreview({ path })`.
import { useSyncExternalStore } from "react";

export interface PreviewTarget {
  /** What `read_file` reads: a path, or a handle such as `out:CALL_ID`. */
  path: string;
  /** Shown as the title. */
  name: string;
  sessionId?: string | undefined;
  /** For an upload: what is downloaded. */
  uploadId?: string | undefined;
}

let target: PreviewTarget | null = null;
const listeners = new Set<() => void>();

function set(next: PreviewTarget | null): void {
  target = next;
  listeners.forEach((listener) => listener());
}

export function openPreview(next: PreviewTarget): void {
  set(next);
}

export function closePreview(): void {
  set(null);
}

export function usePreview(): PreviewTarget | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => target,
  );
}
