// What was typed and not sent, kept per session over reloads.
import { useCallback, useState } from "react";

const BEGIN = "deskhand.draft.";
/** Longer drafts are not kept: the browser's store is small. */
const LONGEST = 100_000;

export function readDraft(sessionId: string | undefined): string {
  return localStorage.getItem(BEGIN + (sessionId ?? "new")) ?? "";
}

export function keepDraft(sessionId: string | undefined, text: string): void {
  const key = BEGIN + (sessionId ?? "new");
  try {
    if (text === "" || text.length > LONGEST) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The store is full: the draft lives as long as the page.
  }
}

export function useDraft(sessionId: string | undefined): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(sessionId));
  const set = useCallback(
    (next: string) => {
      setText(next);
      keepDraft(sessionId, next);
    },
    [sessionId],
  );
  return [text, set];
}
