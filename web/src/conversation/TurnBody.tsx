// One turn: what was said, and between that what was done. The same for one that runs and one that is over.
import { memo, useMemo } from "react";

import { useText } from "../i18n";
import styles from "./conversation.module.css";
import { failureOf } from "./failure";
import { FailureCard } from "./FailureCard";
import { Markdown } from "./markdown/Markdown";
import { segmentsOf } from "./segments";
import { Chain } from "./steps/Chain";
import { TurnUndo } from "./undo/UndoLine";
import type { TurnView } from "./view";

interface Props {
  turn: TurnView;
  running: boolean;
  paused: boolean;
  onRetry?: (() => void) | undefined;
  onCompact?: (() => void) | undefined;
}

export const TurnBody = memo(function TurnBody({ turn, running, paused, onRetry, onCompact }: Props) {
  const words = useText().conversation;
  const segments = useMemo(() => segmentsOf(turn.items), [turn.items]);
  const last = segments.at(-1);
  const quiet = running && (last === undefined || !isBusy(turn));
  return (
    <>
      {segments.map((segment) =>
        segment.kind === "text" ? (
          <div key={segment.key} className={styles.said}>
            <Markdown text={segment.item.text} open={running && segment.item.open} />
          </div>
        ) : (
          <Chain key={segment.key} steps={segment.steps} active={running && segment === last} running={running} />
        ),
      )}
      {quiet && (
        <p className={styles.working} role="status">
          <span className={styles.dots} aria-hidden>
            <i />
            <i />
            <i />
          </span>
          {paused ? words.turn.paused : words.turn.working}
        </p>
      )}
      {turn.incomplete && turn.outcome !== "cancelled" && <p className={styles.ended}>{words.turn.incomplete}</p>}
      {!running && <TurnUndo turnId={turn.turnId} />}
      {turn.outcome === "failed" && <FailureCard failure={failureOf(turn.reason)} onRetry={onRetry} onCompact={onCompact} />}
      {turn.outcome === "cancelled" && <p className={styles.ended}>{words.turn.cancelled}</p>}
      {turn.outcome === "stopped" && (
        <p className={styles.ended}>{words.turn.stopped((turn.reason ?? "").replace(/^[a-z_]+: /, ""))}</p>
      )}
    </>
  );
});

/** Something on the page moves already. */
function isBusy(turn: TurnView): boolean {
  const last = turn.items.at(-1);
  if (last === undefined) return false;
  if (last.kind === "notice") return false;
  return last.kind === "call" ? last.outcome === null : last.open;
}
