// One conversation: its messages, the turn that runs, and where to write.
import { useCallback, useEffect, useMemo, useRef } from "react";

import { useText } from "../i18n";
import { useRoute } from "../router";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import { Announcer } from "./Announcer";
import styles from "./conversation.module.css";
import { ConversationBar } from "./ConversationBar";
import { expiredCalls } from "./expired";
import { sendFailure } from "./failure";
import { FailureCard } from "./FailureCard";
import { type ListHandle, VirtualList } from "./list/VirtualList";
import { shownPath } from "./live";
import { MessageRow } from "./MessageRow";
import type { Row } from "./rows";
import { DemoNext } from "./sender/DemoNext";
import { DropZone } from "./sender/DropZone";
import { MessageSender, type SenderHandle, useUploadLimit } from "./sender/MessageSender";
import { QueuedList } from "./sender/QueuedList";
import { Reach } from "./sender/Reach";
import { attach } from "./sender/uploads";
import { SessionContext } from "./SessionContext";
import { NoticeLine } from "./steps/NoticeLine";
import { useChanges } from "./undo/changes";
import { useTalk } from "./useTalk";

/** How many messages are fetched at once on the way to one that a link names. */
const FAR_BACK = 500;

export function Talk({ sessionId }: { sessionId: string }) {
  const words = useText().conversation;
  const talk = useTalk(sessionId);
  const { list, rows, session, paused, actions, live } = talk;
  const limit = useUploadLimit();
  const sender = useRef<SenderHandle>(null);
  const view = useRef<ListHandle>(null);
  // Where to write stands there as soon as the messages do.
  const loaded = list.query.data !== undefined;
  useEffect(() => {
    if (loaded) sender.current?.focus();
  }, [loaded]);
  useMessageInAddress(rows, list, view);

  const workspace = session.data?.metadata.workspace;
  const changes = useChanges(sessionId);
  const expired = useMemo(() => expiredCalls(rows), [rows]);
  const { running, askAgain } = talk;
  const place = useMemo(
    () => ({
      sessionId,
      workspace: workspace === undefined ? null : shownPath(workspace),
      changes,
      expired,
      askAgain: running ? null : askAgain,
    }),
    [sessionId, workspace, changes, expired, running, askAgain],
  );
  const files = useCallback((chosen: readonly File[]) => attach(sessionId, chosen, limit), [sessionId, limit]);
  const draw = useCallback((row: Row) => <MessageRow row={row} paused={paused} actions={actions} />, [paused, actions]);
  const { hasEarlier, loadEarlier } = list;
  const nearTop = useCallback(() => {
    if (hasEarlier) void loadEarlier();
  }, [hasEarlier, loadEarlier]);

  const problem = list.query.error ?? session.error;
  if (list.query.data === undefined) {
    return (
      <div className={styles.view}>
        {problem === null ? <Loading /> : <div className={styles.column}><Problem error={problem} onRetry={() => void list.query.refetch()} /></div>}
      </div>
    );
  }
  const failure = sendFailure(talk.error);
  return (
    <SessionContext value={place}>
      <DropZone className={styles.view} onFiles={files}>
        <h1 className="dh-hidden">{words.title}</h1>
        {session.data && <ConversationBar session={session.data} running={running} compacting={talk.compacting} onCompact={actions.compact} />}
        <VirtualList
          ref={view}
          rows={rows}
          draw={draw}
          onNearTop={nearTop}
          label={words.messages}
          toEndLabel={words.toNewest}
          header={<div className={styles.earlier}>{list.loadingEarlier ? words.loadingEarlier : ""}</div>}
          footer={
            <div className={styles.column}>
              {rows.length === 0 && <p className={styles.nothing}>{session.data?.metadata.demo === true ? words.demo.begin : words.nothingYet}</p>}
              {live.notices.map((item) => (
                <NoticeLine key={item.key} notice={item.notice} />
              ))}
              {talk.error !== null &&
                (failure === null ? (
                  <Problem error={talk.error} />
                ) : (
                  <FailureCard failure={failure} onClose={() => talk.setError(null)} />
                ))}
            </div>
          }
        />
        {session.data?.metadata.demo === true && (
          <DemoNext
            suggested={session.data.metadata.suggested ?? []}
            said={rows.flatMap((row) => (row.kind === "user" ? [row.text] : []))}
            busy={running || talk.sending}
            onNext={talk.sayNext}
          />
        )}
        <QueuedList queued={session.data?.queued ?? []} running={running} actions={talk.queueActions} />
        <MessageSender
          ref={sender}
          sessionId={sessionId}
          text={talk.draft}
          onText={talk.setDraft}
          onSend={(text, uploads) => {
            view.current?.toEnd();
            talk.send(text, uploads);
            sender.current?.focus();
          }}
          onFiles={files}
          onOrder={talk.give}
          sending={talk.sending}
          running={running}
          paused={paused}
          model={session.data?.metadata.model ?? null}
          onModel={(model) => talk.choose({ model })}
          reach={
            <Reach
              mode={session.data?.mode}
              modes={session.data?.modes ?? []}
              onMode={(mode) => talk.choose({ mode })}
              workspace={place.workspace ?? undefined}
              demo={session.data?.metadata.demo === true}
              onWorkspace={(workspace) => talk.choose({ workspace })}
              running={talk.running}
            />
          }
        />
        <Announcer turn={live.turn} />
      </DropZone>
    </SessionContext>
  );
}

/** A link to a message leads to it, however far back it is. */
function useMessageInAddress(rows: readonly Row[], list: ReturnType<typeof useTalk>["list"], view: React.RefObject<ListHandle | null>): void {
  const route = useRoute();
  const wanted = route.name === "session" ? route.message : undefined;
  const done = useRef<number | undefined>(undefined);
  const { hasEarlier, loadEarlier, messages } = list;
  useEffect(() => {
    if (wanted === undefined || done.current === wanted || messages.length === 0) return;
    const row = rows.find((one) => (one.kind === "user" ? one.id : one.message?.id) === wanted);
    if (row !== undefined) {
      done.current = wanted;
      view.current?.toRow(row.key);
    } else if (hasEarlier && (messages[0]?.id ?? 0) > wanted) {
      void loadEarlier(FAR_BACK);
    }
  }, [wanted, rows, messages, hasEarlier, loadEarlier, view]);
}
