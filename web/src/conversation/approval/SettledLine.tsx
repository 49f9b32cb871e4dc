// How a question was settled, and by whom where it was not here.
import type { Settled } from "../../api/types";
import { type Texts, useText } from "../../i18n";
import { visible } from "../../text/visible";
import styles from "./approval.module.css";
import { sayWho } from "./who";

type Words = Texts["conversation"];

export function SettledLine({ settled, elsewhere = false }: { settled: Settled; elsewhere?: boolean }) {
  return <p className={styles.settled}>{visible(settledWords(settled, elsewhere, useText().conversation))}</p>;
}

export function settledWords(settled: Settled, elsewhere: boolean, text: Words): string {
  const words = text.approval;
  if (settled.settled === "expired") return words.expired;
  if (settled.settled === "withdrawn") return words.withdrawn;
  const { answer } = settled;
  const by = sayWho(settled.by, null, text);
  const said = words.said[answer.answer](by);
  const reason = "reason" in answer && answer.reason ? words.reasonWas(answer.reason) : "";
  const kept = "remember" in answer && answer.remember ? words.kept : "";
  const first = elsewhere ? words.elsewhere : "";
  return [first, said, reason, kept].filter((part) => part !== "").join(" ");
}
