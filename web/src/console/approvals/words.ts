// Where a remembered answer counts, and until when, in words.
import type { Grant, GrantScope } from "../../api/types";
import type { Language } from "../../i18n";
import { pathShown, timeText } from "../format";
import type { ConsoleTexts } from "../texts";

type GrantTexts = ConsoleTexts["oversight"]["grants"];

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
