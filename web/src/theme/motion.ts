// Whether the person has asked their system for less movement.
import { useSyncExternalStore } from "react";

const lessMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)");

function subscribe(listener: () => void): () => void {
  const media = lessMotion();
  media.addEventListener("change", listener);
  return () => media.removeEventListener("change", listener);
}

export function useLessMotion(): boolean {
  return useSyncExternalStore(subscribe, () => lessMotion().matches);
}
