// How much may move: as the person has asked their system for.

export type Motion = "usual" | "none";

export function motionWanted(): Motion {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "none" : "usual";
}
