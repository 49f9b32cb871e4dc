// What was typed and not sent, kept per session over reloads.
import { useCallback, useRef, useState } from "react";

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

type Next = string | ((before: string) => string);

export function useDraft(sessionId: string | undefined): [string, (text: Next) => void] {
  const [text, setText] = useState(() => readDraft(sessionId));
  // What stands there now, also for one who began long ago and ends only now.
  const latest = useRef(text);
  const set = useCallback(
    (next: Next) => {
      latest.current = typeof next === "string" ? next : next(latest.current);
      setText(latest.current);
      keepDraft(sessionId, latest.current);
    },
    [sessionId],
  );
  return [text, set];
}

/** What could not be sent, before what was typed meanwhile: neither is lost. */
export function putBack(unsent: string, typed: string): string {
  return typed.trim() === "" ? unsent : `${unsent}\n\n${typed}`;
}
