// "3 files changed, kept · Undo" at the end of a command; it unfolds to the list and the diff.
import { useMemo } from "react";

import { useText } from "../../i18n";
import { Diff } from "../steps/Diff";
import { diffLines } from "../steps/diff";
import { Fold } from "../steps/Fold";
import { StepUndo } from "../undo/UndoLine";
import type { CallItem, CallOutcome } from "../view";
import { ChangeList } from "./ChangeList";
import styles from "./changes.module.css";
import { countOf, summaryOf } from "./summary";

export function StepChanges({ call, outcome }: { call: CallItem; outcome: CallOutcome }) {
  const words = useText().conversation.changes;
  const changes = useMemo(() => call.changes ?? summaryOf(outcome.changes), [call.changes, outcome.changes]);
  const lines = useMemo(() => (call.diff === null ? null : diffLines(call.diff)), [call.diff]);
  if (outcome.kept === null) return outcome.undo === null ? null : <StepUndo callId={outcome.undo} />;
  const count = countOf(changes);
  return (
    <div className={styles.step}>
      <Fold className={styles.fold} head={<span>{outcome.kept ? words.kept(count) : words.discarded(count)}</span>}>
        <ChangeList changes={changes} />
        {lines !== null && <Diff lines={lines} />}
      </Fold>
      {outcome.kept && outcome.undo !== null && <StepUndo callId={outcome.undo} bare />}
    </div>
  );
}
