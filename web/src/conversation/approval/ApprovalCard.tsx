// A question in the conversation, at the call it belongs to.
import { Button } from "antd";
import { type ReactNode, useEffect, useState } from "react";

import { isByHand } from "../../api/conversations";
import type { ApprovalRequest } from "../../api/types";
import { useText } from "../../i18n";
import { canAskToNotify } from "../../shell/useNotifications";
import { visible } from "../../text/visible";
import { sayClock } from "../numbers";
import { useNow } from "../steps/Since";
import styles from "./approval.module.css";
import { ChangesQuestion } from "./ChangesQuestion";
import { ExecutionQuestion } from "./ExecutionQuestion";
import { ResultQuestion } from "./ResultQuestion";
import { changesIn } from "./subject";
import { noteShown } from "./useAnswer";

export function ApprovalCard({ request }: { request: ApprovalRequest }) {
  const texts = useText().conversation;
  const words = texts.approval;
  const { subject } = request;
  const changes = changesIn(request);
  const tool = visible(request.tool);
  const { maySee } = isByHand(request.session_id) ? words.byHand : words;
  useEffect(() => noteShown(request.id), [request.id]);
  return (
    <section className={styles.card} aria-label={words.waiting(tool)} data-approval={request.id}>
      <div className={styles.head}>
        <strong>{changes !== null ? texts.changes.question : subject.about === "execution" ? words.mayRun(tool) : maySee(tool)}</strong>
        <TimeLeft until={Date.parse(request.expires_at)} hint={changes === null ? words.expiresHint : texts.changes.expiresHint} />
      </div>
      {subject.about === "execution" && changes !== null ? (
        <ChangesQuestion request={request} plan={subject.plan} changes={changes} />
      ) : subject.about === "execution" ? (
        <ExecutionQuestion request={request} plan={subject.plan} />
      ) : (
        <ResultQuestion request={request} text={subject.text} images={subject.images ?? []} />
      )}
      <p className={styles.keys}>{changes === null ? words.keys : texts.changes.keys}</p>
      <Notify />
    </section>
  );
}

function TimeLeft({ until, hint }: { until: number; hint: string }) {
  const words = useText().conversation.approval;
  const left = until - useNow(1000);
  return (
    <span className={styles.left} data-short={left < 60_000 || undefined} title={hint}>
      {left > 0 ? words.timeLeft(sayClock(left)) : words.timeUp}
    </span>
  );
}

function Notify() {
  const words = useText().conversation.approval;
  const [asked, setAsked] = useState(false);
  if (asked || !canAskToNotify()) return null;
  return (
    <Button type="link" size="small" className={styles.notify} onClick={() => void Notification.requestPermission().finally(() => setAsked(true))}>
      {words.notify}
    </Button>
  );
}

export function Key({ children }: { children: ReactNode }) {
  return (
    <kbd className={styles.key} aria-hidden>
      {children}
    </kbd>
  );
}
