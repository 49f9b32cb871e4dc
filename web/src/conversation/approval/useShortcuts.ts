// Keys for the question that waits longest: a, d, e. Never while something is typed, and not in the first moment, so that
// a key that was meant for something else answers nothing.
import { useEffect, useRef } from "react";

export type Shortcuts = Partial<Record<"a" | "d" | "e", () => void>>;

const GRACE = 600;
const waiting: string[] = [];

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select, [role=textbox], [role=combobox]");
}

export function useShortcuts(id: string, keys: Shortcuts, enabled: boolean): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    if (!enabled) return;
    const since = Date.now();
    waiting.push(id);
    const onKey = (event: KeyboardEvent) => {
      if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (waiting[0] !== id || Date.now() - since < GRACE || isTyping(event.target)) return;
      if (document.querySelector(".ant-modal-wrap:not([style*='display: none'])") !== null) return;
      const key = event.key.toLowerCase();
      if (key !== "a" && key !== "d" && key !== "e") return;
      const act = current.current[key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
      waiting.splice(waiting.indexOf(id), 1);
    };
  }, [id, enabled]);
}
