// How a call ended: status, text, data, pictures, and what can be done with it.
import { Alert, Tabs } from "antd";
import type { ReactNode } from "react";

import type { ExecuteResponse, Outcome } from "../../api/types";
import { WholeOutput } from "../../output/WholeOutput";
import { CopyButton } from "../../conversation/CopyButton";
import { ChangeList } from "../../conversation/changes/ChangeList";
import { countOf, summaryOf } from "../../conversation/changes/summary";
import { withoutEscapes } from "../../conversation/steps/ansi";
import { useText } from "../../i18n";
import { visible } from "../../text/visible";
import { DataView } from "../data/DataView";
import { durationText } from "../format";
import { type ConsoleTexts, useConsoleText } from "../texts";
import styles from "./call.module.css";
import { Images } from "./Images";
import { UndoButton } from "./UndoButton";

interface Props {
  response: ExecuteResponse;
  /** More buttons for the head. */
  extra?: ReactNode;
}

export function statusWord(status: string, text: ConsoleTexts["call"]): string {
  return Object.hasOwn(text.statuses, status) ? text.statuses[status as keyof typeof text.statuses] : status;
}

export function OutcomeView({ response, extra }: Props) {
  const text = useConsoleText().call;
  const { outcome } = response;
  return (
    <section className={styles.card} aria-label={text.outcome}>
      <div className={styles.cardHead}>
        <h2 className={response.success ? styles.good : styles.bad}>{statusWord(response.status, text)}</h2>
        {outcome && <span className={styles.quiet}>{text.took(durationText(outcome.duration_ms))}</span>}
        <div className={styles.end}>
          {outcome?.undo && <UndoButton callId={outcome.undo} />}
          {extra}
        </div>
      </div>
      <div className={styles.cardBody}>
        {outcome ? <Ended outcome={outcome} /> : <TextPart content={response.message} />}
      </div>
    </section>
  );
}

function Ended({ outcome }: { outcome: Outcome }) {
  const text = useConsoleText().call;
  const images = outcome.images ?? [];
  const hasData = outcome.data !== null;
  return (
    <>
      {outcome.error && (
        <Alert type="error" title={outcome.error.message} description={outcome.error.hint ?? undefined} />
      )}
      {images.length > 0 && <Images images={images} />}
      {hasData && (
        <Tabs
          size="small"
          defaultActiveKey="text"
          items={[
            { key: "text", label: text.text, children: <TextPart content={outcome.text} /> },
            { key: "data", label: text.data, children: <DataView data={outcome.data} /> },
          ]}
        />
      )}
      {!hasData && outcome.error?.message !== outcome.text && <TextPart content={outcome.text} />}
      <Changed outcome={outcome} />
      {outcome.truncated && outcome.full_output !== null && (
        <div className={styles.buttons}>
          <span className={styles.warn}>{text.truncated}</span>
          <WholeOutput key={outcome.call_id} handle={outcome.full_output} />
        </div>
      )}
      <p className={styles.quiet} style={{ margin: 0, overflowWrap: "anywhere" }}>
        {text.callId} <code className={styles.mono}>{outcome.call_id}</code>
        {outcome.rule !== null && ` · ${text.rule} ${outcome.rule}`}
        {outcome.decided_by !== null && ` · ${text.decidedBy} ${outcome.decided_by}`}
      </p>
    </>
  );
}

function Changed({ outcome }: { outcome: Outcome }) {
  const words = useText().conversation.changes;
  if (typeof outcome.kept !== "boolean") return null;
  const changes = summaryOf(outcome.changes ?? []);
  const count = countOf(changes);
  return (
    <>
      <h3 className={styles.changed}>{outcome.kept ? words.kept(count) : words.discarded(count)}</h3>
      <ChangeList changes={changes} />
    </>
  );
}

function TextPart({ content }: { content: string }) {
  const text = useConsoleText().call;
  if (content === "") return <p className={styles.quiet}>{text.noOutput}</p>;
  return (
    <div>
      <pre className={styles.pre} tabIndex={0}>
        {visible(withoutEscapes(content))}
      </pre>
      <div className={styles.buttons} style={{ marginTop: 6 }}>
        <CopyButton named label={text.copy} text={content} />
      </div>
    </div>
  );
}
