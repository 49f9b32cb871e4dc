// The texts of the tool console, the views and the API page. They are loaded with these, not with the page.
import { type Language, useLanguage } from "../../i18n";
import type { Same } from "../../i18n/texts";
import * as en from "./en";
import * as zh from "./zh";

export type ConsoleTexts = Same<typeof en>;

export const CONSOLE_TEXTS: Record<Language, ConsoleTexts> = { en, zh };

export function useConsoleText(): ConsoleTexts {
  return CONSOLE_TEXTS[useLanguage().language];
}
