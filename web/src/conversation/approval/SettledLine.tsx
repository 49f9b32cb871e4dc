// How a question was settled, and by whom where it was not here.
import type { Settled } from "../../api/types";
import { type Texts, useText } from "../../i18n";
import { visible } from "../../text/visible";
import styles from "./approval.module.css";
import { sayWho } from "./who";

type Words = Texts["conversation"];

interface Props {
  settled: Settled;
  elsewhere?: boolean;
  /** The question was about what a command changed. */
  changes?: boolean;
}

export function SettledLine({ settled, elsewhere = false, changes = false }: Props) {
  return <p className={styles.settled}>{visible(settledWords(settled, elsewhere, useText().conversation, changes))}</p>;
}

export function settledWords(settled: Settled, elsewhere: boolean, text: Words, changes = false): string {
  const words = text.approval;
  if (settled.settled === "expired") return words.expired;
  if (settled.settled === "withdrawn") return words.withdrawn;
  const { answer } = settled;
  const by = sayWho(settled.by, null, text);
  const said = changes && (answer.answer === "yes" || answer.answer === "no") ? text.changes.said[answer.answer](by) : words.said[answer.answer](by);
  const reason = "reason" in answer && answer.reason ? words.reasonWas(answer.reason) : "";
  const kept = "remember" in answer && answer.remember ? words.kept : "";
  const first = elsewhere ? words.elsewhere : "";
  return [first, said, reason, kept].filter((part) => part !== "").join(" ");
}
