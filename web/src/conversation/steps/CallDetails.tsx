// What stands behind a step: arguments, plan, change, output, files.
import { useMemo } from "react";

import type { Json } from "../../api/types";
import { useText } from "../../i18n";
import { WholeOutput } from "../../output/WholeOutput";
import { visible } from "../../text/visible";
import { sayWho } from "../approval/who";
import { FileCard } from "../FileChip";
import type { CallItem, CallOutcome } from "../view";
import { DataTable } from "./DataTable";
import { Diff } from "./Diff";
import { diffLines, looksLikeDiff } from "./diff";
import { Fold } from "./Fold";
import { commandIn } from "./gist";
import { PlanWords } from "./PlanWords";
import { Arguments, Preview } from "./Preview";
import { rowsOf } from "./rows";
import styles from "./steps.module.css";
import { Terminal } from "./Terminal";

const MOST_FILES = 12;

export function CallDetails({ call }: { call: CallItem }) {
  const words = useText().conversation.step;
  const { outcome, plan } = call;
  return (
    <div className={styles.details}>
      <Preview plan={plan} args={call.arguments} />
      {outcome === null && call.output !== "" && <Terminal text={call.output} cut={call.outputCut} live />}
      {outcome !== null && <Result call={call} outcome={outcome} />}
      <Fold className={styles.inner} head={words.arguments}>
        <Arguments args={call.arguments} />
      </Fold>
      {plan !== null && (
        <Fold className={styles.inner} head={words.plan}>
          <PlanWords plan={plan} />
        </Fold>
      )}
    </div>
  );
}

function Result({ call, outcome }: { call: CallItem; outcome: CallOutcome }) {
  const texts = useText().conversation;
  const words = texts.step;
  const rows = useMemo(() => rowsOf(outcome.data), [outcome.data]);
  const printed = commandIn(call.arguments) !== null || call.output !== "";
  const decided = (by: string) => by.split("; result: ").map((one) => sayWho(one, outcome.rule, texts)).join(" · ");
  return (
    <>
      {outcome.error !== null && (
        <p className={styles.error}>
          {visible(outcome.error.message)}
          {outcome.error.hint !== null && <span> {visible(outcome.error.hint)}</span>}
        </p>
      )}
      {isEdited(outcome.edited) && (
        <Fold className={styles.inner} head={words.editedArguments}>
          <Arguments args={outcome.edited} />
        </Fold>
      )}
      {rows !== null && <DataTable data={rows} />}
      {outcome.text !== "" && rows === null && <ResultText text={outcome.text} printed={printed} />}
      {outcome.text !== "" && rows !== null && (
        <Fold className={styles.inner} head={words.asText}>
          <ResultText text={outcome.text} printed={printed} />
        </Fold>
      )}
      {outcome.outside !== null && <p className={styles.faint}>{words.outside(visible(outcome.outside))}</p>}
      {outcome.paths.length > 0 && (
        <div className={styles.files}>
          {outcome.paths.slice(0, MOST_FILES).map((path) => (
            <FileCard key={path} name={visible(path.split("/").at(-1) ?? path)} detail={visible(path)} source={{ path }} />
          ))}
          {outcome.paths.length > MOST_FILES && <span className={styles.faint}>{words.moreFiles(outcome.paths.length - MOST_FILES)}</span>}
        </div>
      )}
      <div className={styles.actions}>
        {outcome.fullOutput !== null && <WholeOutput handle={outcome.fullOutput} />}
        {outcome.decidedBy !== null && <span className={styles.faint}>{words.decidedBy(decided(outcome.decidedBy))}</span>}
      </div>
    </>
  );
}

function ResultText({ text, printed }: { text: string; printed: boolean }) {
  const lines = useMemo(() => (looksLikeDiff(text) ? diffLines(text) : null), [text]);
  if (lines !== null && !printed) return <Diff lines={lines} />;
  return <Terminal text={text} />;
}

function isEdited(edited: Json): boolean {
  return edited !== null;
}
