// What a command changed, line by line: what runs later first, ignored output last and grey, then the totals.
import type { ChangedEntry, ChangeKind, ChangeSummary } from "../../api/types";
import { useText } from "../../i18n";
import { bytesText } from "../../text/bytes";
import { visible } from "../../text/visible";
import { shownPath } from "../live";
import { Exact } from "../steps/ExactText";
import styles from "./changes.module.css";
import { inOrder } from "./summary";

const LETTERS: Record<ChangeKind, string> = { created: "A", modified: "M", deleted: "D", moved: "R", mode: "P" };
const COUNTS = ["created", "modified", "deleted", "moved", "mode"] as const;

export function ChangeList({ changes }: { changes: ChangeSummary }) {
  const words = useText().conversation.changes;
  const more = changes.more ?? 0;
  return (
    <div className={styles.changes}>
      <ul className={styles.list} aria-label={words.list} tabIndex={0}>
        {inOrder(changes.entries).map((entry, index) => (
          <Line key={index} entry={entry} />
        ))}
        {more > 0 && <li className={styles.faint}>{words.more(more)}</li>}
      </ul>
      <Totals changes={changes} />
    </div>
  );
}

function Line({ entry }: { entry: ChangedEntry }) {
  const words = useText().conversation.changes;
  const count = entry.entries ?? 1;
  if (entry.ignored === true && entry.runs_later === undefined) {
    const say = entry.kind === "deleted" ? words.ignoredDeleted : words.ignored;
    return <li className={styles.faint}>{say(visible(pathOf(entry, entry.path)), count, bytesText(entry.bytes))}</li>;
  }
  const kind = words.kinds[entry.kind];
  return (
    <li className={styles.line} data-later={entry.runs_later !== undefined || undefined}>
      <span className={styles.letter} data-kind={entry.kind} role="img" aria-label={kind} title={kind}>
        {LETTERS[entry.kind]}
      </span>
      <span className={styles.what}>
        <code>
          {entry.from !== undefined && (
            <>
              <Exact text={pathOf(entry, entry.from)} /> →{" "}
            </>
          )}
          <Exact text={pathOf(entry, entry.path)} />
        </code>
        <Details entry={entry} count={count} />
        {entry.runs_later !== undefined && <strong className={styles.later}>{words.runsLater(visible(entry.runs_later))}</strong>}
      </span>
    </li>
  );
}

function Details({ entry, count }: { entry: ChangedEntry; count: number }) {
  const words = useText().conversation.changes;
  // All lines of a deleted file were removed: its size says more.
  const hasLines = entry.added + entry.removed > 0 && entry.kind !== "deleted";
  const isUnusual = entry.entry_type === "link" || entry.entry_type === "special";
  return (
    <span className={styles.details}>
      {count > 1 && <span>{words.files(count)}</span>}
      {hasLines && entry.added > 0 && <span className={styles.added}>+{entry.added}</span>}
      {hasLines && entry.removed > 0 && <span className={styles.removed}>−{entry.removed}</span>}
      {entry.bytes > 0 && entry.kind !== "mode" && <span>{bytesText(entry.bytes)}</span>}
      {entry.was !== undefined && <span>{words.was(words.types[entry.was])}</span>}
      {entry.mode !== undefined && <span>{words.mode(entry.mode.before, entry.mode.after)}</span>}
      {isUnusual && entry.entry_type !== undefined && entry.kind !== "deleted" && <span>{words.types[entry.entry_type]}</span>}
    </span>
  );
}

function Totals({ changes }: { changes: ChangeSummary }) {
  const words = useText().conversation.changes;
  const counts = COUNTS.filter((kind) => changes[kind] > 0).map((kind) => words.totals[kind](changes[kind]));
  if (changes.bytes > 0) counts.push(words.totals.bytes(bytesText(changes.bytes)));
  if (changes.deleted_bytes > 0) counts.push(words.totals.deletedBytes(bytesText(changes.deleted_bytes)));
  return <p className={styles.totals}>{counts.length === 0 ? words.none : counts.join(" · ")}</p>;
}

function pathOf(entry: ChangedEntry, path: ChangedEntry["path"]): string {
  return entry.entry_type === "folder" ? `${shownPath(path)}/` : shownPath(path);
}
