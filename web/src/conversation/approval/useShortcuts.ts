// Keys for the question that waits longest: a, d, e, k. One press answers one question. Never while something is typed, never
// for a question that is out of sight, and not in the first moment, so that a key that was meant for something else
// answers nothing.
import { useEffect, useRef } from "react";

import { isComposing } from "../../text/composing";
import { isWellInView } from "./inView";

export type Shortcuts = Partial<Record<"a" | "d" | "e" | "k", () => void>>;

interface Waiting {
  id: string;
  keys: { readonly current: Shortcuts };
}

const GRACE = 600;
const waiting: Waiting[] = [];
/** The question that the keys answer, and since when they do. */
let head: Waiting | undefined;
let since = 0;

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
    const one: Waiting = { id, keys: current };
    // One listener for all: between two of them React may draw, and the next question would hear the same press.
    if (waiting.length === 0) window.addEventListener("keydown", onKey);
    waiting.push(one);
    chooseHead();
    return () => {
      waiting.splice(waiting.indexOf(one), 1);
      if (waiting.length === 0) window.removeEventListener("keydown", onKey);
      chooseHead();
    };
  }, [id, enabled]);
}

/** Whoever comes first anew has its own first moment. */
function chooseHead(): void {
  if (head === waiting[0]) return;
  head = waiting[0];
  since = Date.now();
}

function onKey(event: KeyboardEvent): void {
  const asked = head;
  if (asked === undefined || event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isComposing(event) || isTyping(event.target)) return;
  if (document.querySelector(".ant-modal-wrap:not([style*='display: none'])") !== null) return;
  const key = event.key.toLowerCase();
  if (key !== "a" && key !== "d" && key !== "e" && key !== "k") return;
  const act = asked.keys.current[key];
  if (act === undefined || Date.now() - since < GRACE) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const card = cardOf(asked.id);
  if (card === undefined) return;
  if (isWellInView(card)) {
    act();
  } else {
    card.scrollIntoView({ block: "nearest" });
    since = Date.now();
  }
}

function cardOf(id: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>("[data-approval]")].find((card) => card.dataset.approval === id);
}
