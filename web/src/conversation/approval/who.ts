// Who decided about a call, in words: `person:web`, `grant:ID`, `policy` and their like stand in the record.
import type { Texts } from "../../i18n";

type Words = Texts["conversation"]["approval"]["who"];

export function sayWho(by: string, rule: string | null, words: Words): string {
  if (/^person:web(:|$)/.test(by)) return words.page;
  if (/^person:(terminal|approvals|command-line)$/.test(by)) return words.terminal;
  if (by.startsWith("grant:")) return words.grant;
  if (by === "policy" && rule !== null) return rule.startsWith("mode:") ? words.mode(rule.slice("mode:".length)) : words.rule(rule);
  return by.replace(/^person:/, "");
}
