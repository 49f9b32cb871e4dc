// A remembered answer in words, before it is given: what it covers, where, until when.
import type { Remember, RememberScope, Shape } from "../../api/types";
import type { Texts } from "../../i18n";
import { shownPath } from "../live";

type Words = Texts["conversation"]["approval"];

export const SCOPES: readonly RememberScope[] = ["session", "workspace", "always"];

/** Changes are remembered for their workspace; elsewhere they are others. */
export function scopesOf(shape: Shape): readonly RememberScope[] {
  return shape.kind === "changes" ? SCOPES.filter((scope) => scope !== "always") : SCOPES;
}

/** What calls it covers. */
export function shapeWords(shape: Shape, tool: string, words: Words): string {
  switch (shape.kind) {
    case "exact":
      return words.shape.exact(tool, shape.shown);
    case "folder":
      return words.shape.folder(tool, shownPath(shape.path));
    case "command":
      return shape.pattern.endsWith(" *")
        ? words.shape.commandLike(shape.pattern.slice(0, -2), shownPath(shape.folder), shape.network)
        : words.shape.command(shape.pattern, shownPath(shape.folder), shape.network);
    case "host":
      return words.shape.host(tool, shape.host);
    case "changes":
      return words.shape.changes;
    case "any_arguments":
      return words.shape.any(tool);
  }
}

/** The whole answer as one sentence. */
export function rememberWords(remember: Remember, yes: boolean, tool: string, workspace: string, words: Words): string {
  const what = shapeWords(remember.shape, tool, words);
  const where = remember.scope === "workspace" ? words.scopeIn.workspace(workspace) : words.scopeIn[remember.scope];
  const until = remember.until === null ? words.untilRevoked : words.untilTime(new Date(remember.until).toLocaleString());
  if (yes && remember.shape.kind === "changes") return words.willKeep(what, where, until);
  return yes ? words.willAllow(what, where, until) : words.willRefuse(what, where, until);
}

/** One key per shape, for a list of choices. */
export function shapeKey(shape: Shape): string {
  return JSON.stringify(shape);
}

export type Lifetime = "open" | "hour" | "day" | "week";
const HOURS: Record<Exclude<Lifetime, "open">, number> = { hour: 1, day: 24, week: 168 };

export function untilOf(lifetime: Lifetime, now: number): string | null {
  return lifetime === "open" ? null : new Date(now + HOURS[lifetime] * 3_600_000).toISOString();
}
