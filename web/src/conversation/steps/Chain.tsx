// Thoughts and steps between two texts, as a chain. A long one that is over folds into one line.
import { BulbOutlined, InfoCircleOutlined } from "@ant-design/icons";
import { memo } from "react";

import { useText } from "../../i18n";
import { Markdown } from "../markdown/Markdown";
import { sayDuration } from "../numbers";
import { sumOf } from "../segments";
import type { StepItem, ThoughtItem } from "../view";
import { CallRow } from "./CallRow";
import { Fold } from "./Fold";
import { NoticeLine } from "./NoticeLine";
import { RowBoundary } from "./RowBoundary";
import { Since } from "./Since";
import styles from "./steps.module.css";

/** Up to so many steps there is nothing to fold. */
const FEW = 3;

interface Props {
  steps: readonly StepItem[];
  /** The turn is under way and this is its newest part. */
  active: boolean;
  running: boolean;
}

export const Chain = memo(function Chain({ steps, active, running }: Props) {
  const words = useText().conversation.step;
  const list = (
    <ol className={styles.chain}>
      {steps.map((step, index) =>
        step.kind === "call" ? (
          <RowBoundary key={step.callId} of={step}>
            <CallRow call={step} running={running} />
          </RowBoundary>
        ) : (
          <li key={`${step.kind}${index}`} className={styles.step}>
            {step.kind === "thought" ? <BulbOutlined className={styles.status} aria-hidden /> : <InfoCircleOutlined className={styles.status} aria-hidden />}
            <div className={styles.stepBody}>
              {step.kind === "thought" ? <Thought thought={step} /> : <NoticeLine notice={step.notice} />}
            </div>
          </li>
        ),
      )}
    </ol>
  );
  const sum = sumOf(steps);
  // A short one has nothing to fold, but stands in the same place of the tree: its rows stay when it becomes long.
  const head = steps.length <= FEW ? null : (
    <span className={styles.chainHead}>
      {words.chain(sum.calls, steps.length)}
      {sum.failed > 0 && <span className={styles.outcome}>{words.failed(sum.failed)}</span>}
      {sum.ms !== null && <span className={styles.time}>{sayDuration(sum.ms)}</span>}
    </span>
  );
  return (
    <Fold head={head} open={active || (running && sum.running !== null)} className={head === null ? undefined : styles.folded}>
      {list}
    </Fold>
  );
});

function Thought({ thought }: { thought: ThoughtItem }) {
  const words = useText().conversation.step;
  const head = thought.open ? (
    <span className={styles.thinking}>
      {words.thinking} <Since at={thought.startedAt} />
    </span>
  ) : (
    <span className={styles.thought}>{thought.ms === null ? words.thought : words.thoughtFor(sayDuration(thought.ms))}</span>
  );
  return (
    <Fold head={head}>
      <div className={styles.thoughtText}>
        <Markdown text={thought.text} open={thought.open} />
      </div>
    </Fold>
  );
}
