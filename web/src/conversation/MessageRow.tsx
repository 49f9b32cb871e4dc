// One message with what can be done to it.
import { EditOutlined, ForkOutlined, RedoOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { memo, useState } from "react";

import { useLanguage, useText } from "../i18n";
import { forget, useKept } from "../text/kept";
import { locale } from "../i18n/locale";
import styles from "./conversation.module.css";
import { CopyButton } from "./CopyButton";
import { EditMessage } from "./EditMessage";
import { FileChip } from "./FileChip";
import { Markdown } from "./markdown/Markdown";
import { withFileRefs } from "./markdown/safe";
import { sayCount, sayDuration } from "./numbers";
import type { AssistantRow, Row, SystemRow, UserRow } from "./rows";
import { useSessionPlace } from "./SessionContext";
import { Fold } from "./steps/Fold";
import { RowBoundary } from "./steps/RowBoundary";
import { TurnBody } from "./TurnBody";
import { saidIn } from "./view";

export interface RowActions {
  /** Says the same again in a copy that ends before this message. */
  retryAsFork: (row: UserRow) => void;
  editAsFork: (row: UserRow, text: string) => Promise<void>;
  /** Runs the last message once more, here. */
  tryAgain: () => void;
  compact: () => void;
  /** A copy that ends with this message. */
  forkHere: (message: number) => void;
}

interface Props {
  row: Row;
  paused: boolean;
  actions: RowActions;
}

export const MessageRow = memo(
  function MessageRow(props: Props) {
    return (
      <RowBoundary of={props.row}>
        <Drawn {...props} />
      </RowBoundary>
    );
  },
  (before, after) => before.paused === after.paused && before.actions === after.actions && sameRow(before.row, after.row),
);

function Drawn({ row, paused, actions }: Props) {
  switch (row.kind) {
    case "user":
      return <UserMessage row={row} actions={actions} />;
    case "assistant":
      return <AssistantMessage row={row} paused={paused} actions={actions} />;
    case "system":
      return <SystemMessage row={row} />;
  }
}

export function sameRow(one: Row, other: Row): boolean {
  if (one.kind === "user" && other.kind === "user") {
    return one.id === other.id && one.text === other.text && one.at === other.at && one.uploads.join() === other.uploads.join();
  }
  if (one.kind === "assistant" && other.kind === "assistant") {
    return one.turn === other.turn && one.running === other.running && one.last === other.last && one.message === other.message;
  }
  return one.kind === "system" && other.kind === "system" && one.message === other.message;
}

function UserMessage({ row, actions }: { row: UserRow; actions: RowActions }) {
  const words = useText().conversation;
  const draft = `message ${useSessionPlace()?.sessionId ?? ""} ${row.id ?? ""}`;
  const [editing, setEditing] = useKept(draft, "editing", false);
  const [opened, setOpened] = useState(false);
  const close = () => {
    setEditing(false);
    forget(draft);
  };
  const edit = () => {
    setOpened(true);
    setEditing(true);
  };
  const pieces = withFileRefs(row.text);
  // A file that the text names stands there already.
  const attached = row.uploads.filter((id) => !pieces.some((piece) => piece.kind === "file" && piece.id === id));
  if (editing) {
    return (
      <div className={styles.user}>
        <EditMessage
          id={draft}
          focused={opened}
          text={row.text}
          onCancel={close}
          onSend={async (text) => {
            await actions.editAsFork(row, text);
            close();
          }}
        />
      </div>
    );
  }
  return (
    <article className={styles.user} aria-label={words.message.you}>
      <div className={styles.bubble} data-pending={row.id === null || undefined}>
        {pieces.map((piece, index) =>
          piece.kind === "text" ? <span key={index}>{piece.text}</span> : <FileChip key={index} id={piece.id} />,
        )}
        {attached.length > 0 && (
          <div className={styles.uploads} role="group" aria-label={words.sender.attachments}>
            {attached.map((id) => (
              <FileChip key={id} id={id} />
            ))}
          </div>
        )}
      </div>
      <div className={styles.tools}>
        <Time at={row.at} />
        <CopyButton text={row.text} label={words.message.copy} />
        {row.id !== null && (
          <>
            <Button type="text" size="small" icon={<EditOutlined />} aria-label={words.message.edit} title={words.message.edit} onClick={edit} />
            <Button type="text" size="small" icon={<RedoOutlined />} aria-label={words.message.retry} title={words.message.retry} onClick={() => actions.retryAsFork(row)} />
          </>
        )}
      </div>
    </article>
  );
}

function AssistantMessage({ row, paused, actions }: { row: AssistantRow; paused: boolean; actions: RowActions }) {
  const words = useText().conversation;
  const { turn, running, message } = row;
  const usage = turn.usage;
  return (
    <article className={styles.assistant} aria-label={words.message.deskhand} aria-busy={running}>
      <TurnBody
        turn={turn}
        running={running}
        paused={paused}
        onRetry={row.last ? actions.tryAgain : undefined}
        onCompact={row.last ? actions.compact : undefined}
      />
      {!running && (
        <div className={styles.tools}>
          <CopyButton text={() => saidIn(turn)} label={words.message.copy} />
          {message !== null && (
            <Button type="text" size="small" icon={<ForkOutlined />} aria-label={words.message.fork} title={words.message.fork} onClick={() => actions.forkHere(message.id)} />
          )}
          <Time at={row.message?.timestamp ?? null} />
          {turn.model !== null && <span>{turn.model}</span>}
          {usage !== null && (
            <span title={words.message.usage(usage.input_tokens, usage.output_tokens, usage.cached_tokens)}>
              {words.message.tokens(sayCount(usage.input_tokens), sayCount(usage.output_tokens))}
              {usage.cost !== undefined && ` · $${usage.cost.toFixed(usage.cost < 0.01 ? 4 : 2)}`}
            </span>
          )}
          {turn.startedAt !== null && turn.endedAt !== null && <span>{sayDuration(turn.endedAt - turn.startedAt)}</span>}
        </div>
      )}
    </article>
  );
}

function SystemMessage({ row }: { row: SystemRow }) {
  const words = useText().conversation;
  const compacted = row.message.metadata.compaction !== undefined;
  return (
    <article className={styles.system}>
      <Fold head={compacted ? words.message.summary : words.message.system}>
        <Markdown text={row.message.content} />
      </Fold>
    </article>
  );
}

function Time({ at }: { at: string | null }) {
  const { language } = useLanguage();
  if (at === null) return null;
  const date = new Date(at);
  const tag = locale(language);
  return (
    <time dateTime={at} title={date.toLocaleString(tag)}>
      {date.toLocaleTimeString(tag, { hour: "2-digit", minute: "2-digit" })}
    </time>
  );
}
