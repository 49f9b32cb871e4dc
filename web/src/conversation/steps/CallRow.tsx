// One call in the chain: what it does, how long it took, how it ended; its question, if one waits; its pictures.
import { useText } from "../../i18n";
import { visible } from "../../text/visible";
import { ApprovalCard } from "../approval/ApprovalCard";
import { AskAgain } from "../approval/AskAgain";
import { SettledLine } from "../approval/SettledLine";
import { changesIn } from "../approval/subject";
import { wasAnsweredElsewhere } from "../approval/useAnswer";
import { StepChanges } from "../changes/StepChanges";
import { Picture } from "../markdown/Picture";
import { sayDuration } from "../numbers";
import { useSessionPlace } from "../SessionContext";
import { type CallItem, type CallOutcome, pendingOf } from "../view";
import { CallDetails } from "./CallDetails";
import { Fold } from "./Fold";
import { gistOf } from "./gist";
import { Since } from "./Since";
import { type Standing, StatusIcon } from "./StatusIcon";
import styles from "./steps.module.css";

export function CallRow({ call, running }: { call: CallItem; running: boolean }) {
  const words = useText().conversation;
  const workspace = useSessionPlace()?.workspace ?? null;
  const pending = running ? pendingOf(call) : null;
  const standing: Standing = call.outcome?.status ?? (pending !== null ? "waiting" : running ? "running" : "cancelled");
  const summary = visible(call.plan?.summary ?? gistOf(call.arguments, workspace));
  const live = running && call.outcome === null && pending === null;
  return (
    <li className={styles.step}>
      <StatusIcon standing={standing} />
      <div className={styles.stepBody}>
        <Fold
          // What prints is shown while it prints.
          open={live && call.output !== ""}
          head={
            <>
              <code className={styles.tool}>{visible(call.tool)}</code>
              <span className={styles.gist}>{summary}</span>
              {call.outcome !== null && call.outcome.status !== "success" && (
                <span className={styles.outcome}>{wasDiscarded(call.outcome) ? words.changes.status : words.status[call.outcome.status]}</span>
              )}
              <span className={styles.time}>
                {call.outcome !== null ? sayDuration(call.outcome.durationMs) : live && <Since at={call.startedAt} />}
              </span>
            </>
          }
        >
          <CallDetails call={call} />
        </Fold>
        {call.progress !== null && live && <ProgressLine call={call} />}
        {call.approvals.map((approval) =>
          approval === pending ? (
            <ApprovalCard key={approval.request.id} request={approval.request} />
          ) : (
            approval.settled !== null && (
              <SettledLine
                key={approval.request.id}
                settled={approval.settled}
                elsewhere={wasAnsweredElsewhere(approval.request.id)}
                changes={changesIn(approval.request) !== null}
              />
            )
          ),
        )}
        {call.outcome?.status === "expired" && <AskAgain call={call} />}
        {call.outcome !== null && <StepChanges call={call} outcome={call.outcome} />}
        {call.outcome !== null && call.outcome.images.length > 0 && (
          <div className={styles.images}>
            {call.outcome.images.map((image, index) => (
              <Picture key={index} source={`data:${image.mime};base64,${image.base64}`} alt={words.step.imageOf(call.tool)} />
            ))}
          </div>
        )}
      </div>
    </li>
  );
}

/** It ran; a no was about what it changed. */
function wasDiscarded(outcome: CallOutcome): boolean {
  return outcome.status === "execution_rejected" && outcome.kept === false;
}

function ProgressLine({ call }: { call: CallItem }) {
  const { progress } = call;
  if (progress === null) return null;
  const { done, total, text } = progress;
  return (
    <div className={styles.progress}>
      {done !== null && total !== null && total > 0 && <progress max={total} value={done} aria-label={visible(text)} />}
      <span className={styles.alone}>{visible(text)}</span>
    </div>
  );
}
