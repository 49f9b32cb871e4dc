// How much room there is, in the three sizes that the layout knows.
import { useSyncExternalStore } from "react";

export type Width = "phone" | "narrow" | "wide";

const PHONE = "(max-width: 767px)";
const NARROW = "(max-width: 1199px)";

function current(): Width {
  if (window.matchMedia(PHONE).matches) return "phone";
  return window.matchMedia(NARROW).matches ? "narrow" : "wide";
}

function subscribe(listener: () => void): () => void {
  const lists = [PHONE, NARROW].map((query) => window.matchMedia(query));
  lists.forEach((list) => list.addEventListener("change", listener));
  return () => lists.forEach((list) => list.removeEventListener("change", listener));
}

export function useWidth(): Width {
  return useSyncExternalStore(subscribe, current);
}
