// One conversation in the list: its name, when it changed, and what can be done with it.
import { useState } from "react";

import type { SessionItem } from "../api/types";
import { useText } from "../i18n";
import { href } from "../router";
import styles from "./history.module.css";
import { RelativeTime } from "./RelativeTime";
import { SessionMenu } from "./SessionMenu";
import { titleOf } from "./title";
import { TitleEditor } from "./TitleEditor";

interface Props {
  session: SessionItem;
  current: boolean;
  /** A question of this session waits for an answer. */
  waiting: boolean;
  onOpen?: (() => void) | undefined;
}

export function SessionRow({ session, current, waiting, onOpen }: Props) {
  const text = useText();
  const [editing, setEditing] = useState(false);
  const title = titleOf(session, text);
  const deleted = session.deleted_at !== undefined;
  if (editing) {
    return (
      <li className={styles.row}>
        <TitleEditor session={session} className={styles.editor} onDone={() => setEditing(false)} />
      </li>
    );
  }
  const inside = (
    <>
      {waiting && <span className={styles.dot} role="img" aria-label={text.shell.approvalsTitle} />}
      <span className={styles.name}>{title}</span>
      {session.metadata.demo === true && <span className={styles.tag}>{text.history.demo}</span>}
      {session.metadata.forked_from && <span className={styles.tag}>{text.history.fork}</span>}
      <RelativeTime at={session.deleted_at ?? session.updated_at} className={styles.time} />
    </>
  );
  return (
    <li className={styles.row}>
      {deleted ? (
        <div className={styles.link}>{inside}</div>
      ) : (
        <a
          className={styles.link}
          href={href({ name: "session", id: session.id })}
          title={title}
          aria-current={current ? "page" : undefined}
          onClick={onOpen}
          onDoubleClick={() => setEditing(true)}
          onKeyDown={(event) => {
            if (event.key === "F2") setEditing(true);
          }}
        >
          {inside}
        </a>
      )}
      <SessionMenu session={session} className={styles.more} onRename={() => setEditing(true)} />
    </li>
  );
}
