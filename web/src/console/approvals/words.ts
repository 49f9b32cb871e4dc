// What a remembered answer covers, where, and until when, in words.
import type { Grant, GrantScope, Shape } from "../../api/types";
import type { Language } from "../../i18n";
import { pathShown, timeText } from "../format";
import type { ConsoleTexts } from "../texts";

type GrantTexts = ConsoleTexts["oversight"]["grants"];

export function shapeWords(shape: Shape, tool: string, text: GrantTexts): string {
  const { shapes } = text;
  switch (shape.kind) {
    case "exact":
      return shapes.exact(tool, shape.shown);
    case "folder":
      return shapes.folder(tool, pathShown(shape.path));
    case "command": {
      const words = shapes.command(tool, shape.pattern, pathShown(shape.folder));
      return shape.network ? shapes.withNetwork(words) : words;
    }
    case "any_arguments":
      return shapes.anyArguments(tool);
  }
}

export function scopeWords(scope: GrantScope, text: GrantTexts): string {
  switch (scope.in) {
    case "session":
      return text.scopes.session;
    case "workspace":
      return text.scopes.workspace(pathShown(scope.path));
    case "always":
      return text.scopes.always;
  }
}

export function untilWords(grant: Grant, now: number, text: GrantTexts, language: Language): string {
  if (grant.until === null) return text.forever;
  return Date.parse(grant.until) <= now ? text.expired : timeText(grant.until, language);
}
