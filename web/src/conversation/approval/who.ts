// Who decided about a call, in words: `person:web`, `grant:ID`, `policy` and their like stand in the record.
import type { Texts } from "../../i18n";

export function sayWho(by: string, rule: string | null, text: Texts["conversation"]): string {
  const words = text.approval.who;
  if (/^person:web(:|$)/.test(by)) return words.page;
  if (/^person:(terminal|approvals|command-line)$/.test(by)) return words.terminal;
  if (by.startsWith("grant:")) return words.grant;
  if (by !== "policy") return by.replace(/^person:/, "");
  const mode = rule?.startsWith("mode:") === true ? rule.slice("mode:".length) : "";
  const { modes } = text.sender;
  return Object.hasOwn(modes, mode) ? words.mode(modes[mode as keyof typeof modes].name) : words.rules;
}
