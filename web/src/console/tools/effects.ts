// What a tool does to the world, in words. A tool lists the names; a plan has a flag for each.
import type { Effects } from "../../api/types";
import type { ConsoleTexts } from "../texts";

export function effectNames(effects: Effects | readonly string[]): string[] {
  if (isNames(effects)) return [...effects];
  return Object.entries(effects).flatMap(([name, on]) => (on === true ? [name] : []));
}

function isNames(effects: Effects | readonly string[]): effects is readonly string[] {
  return Array.isArray(effects);
}

export function effectWords(effects: Effects | readonly string[], text: ConsoleTexts["tools"]): string {
  return effectNames(effects)
    .map((name) => (Object.hasOwn(text.effectNames, name) ? text.effectNames[name as keyof typeof text.effectNames] : name))
    .join(" · ");
}
