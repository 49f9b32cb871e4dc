// Messages that wait for the end of the turn. Until they are sent they can be changed or removed.
import { Button, Input } from "antd";
import { useState } from "react";

import type { QueuedMessage } from "../../api/types";
import { useText } from "../../i18n";
import { isComposing } from "../../text/composing";
import { visible } from "../../text/visible";
import { FileChip } from "../FileChip";
import styles from "./sender.module.css";

export interface QueueActions {
  /** Whether it was changed. */
  edit: (id: number, content: string) => Promise<boolean>;
  remove: (id: number) => void;
  send: (id: number) => void;
}

interface Props {
  queued: readonly QueuedMessage[];
  running: boolean;
  actions: QueueActions;
}

export function QueuedList({ queued, running, actions }: Props) {
  const words = useText().conversation.queue;
  if (queued.length === 0) return null;
  return (
    <ul className={styles.queue} aria-label={words.title}>
      {queued.map((message) => (
        <Queued key={message.id} message={message} running={running} actions={actions} />
      ))}
    </ul>
  );
}

function Queued({ message, running, actions }: { message: QueuedMessage; running: boolean; actions: QueueActions }) {
  const words = useText().conversation.queue;
  const [edited, setEdited] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const save = () => {
    if (edited === null || edited.trim() === "") return;
    setBusy(true);
    void actions
      .edit(message.id, edited.trim())
      .then((isSaved) => {
        if (isSaved) setEdited(null);
      })
      .finally(() => setBusy(false));
  };
  return (
    <li className={styles.queued}>
      <div className={styles.queuedBody}>
        <small>{running && !message.held ? words.waits : words.held}</small>
        {edited === null ? (
          <p>{visible(message.content)}</p>
        ) : (
          <Input.TextArea
            autoFocus
            aria-label={words.text}
            autoSize={{ minRows: 1, maxRows: 8 }}
            value={edited}
            onChange={(event) => setEdited(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape" && !isComposing(event)) setEdited(null);
            }}
          />
        )}
        {message.uploads?.map((id) => (
          <FileChip key={id} id={id} />
        ))}
      </div>
      <div className={styles.queuedButtons}>
        {edited !== null ? (
          <>
            <Button size="small" type="primary" loading={busy} disabled={edited.trim() === ""} onClick={save}>
              {words.save}
            </Button>
            <Button size="small" onClick={() => setEdited(null)}>
              {words.cancel}
            </Button>
          </>
        ) : (
          <>
            {!running && (
              <Button size="small" type="primary" onClick={() => actions.send(message.id)}>
                {words.send}
              </Button>
            )}
            <Button size="small" type="text" onClick={() => setEdited(message.content)}>
              {words.edit}
            </Button>
            <Button size="small" type="text" onClick={() => actions.remove(message.id)}>
              {words.remove}
            </Button>
          </>
        )}
      </div>
    </li>
  );
}
