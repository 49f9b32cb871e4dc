// "2 files changed · Undo", on a step and at the end of a turn. What cannot be undone says why, and changes nothing.
import { UndoOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Popconfirm } from "antd";
import { useState } from "react";

import { keys } from "../../api/keys";
import type { ErrorBody, Outcome } from "../../api/types";
import { useText } from "../../i18n";
import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import { undoCall, undoTurn } from "../actions";
import { useSessionPlace } from "../SessionContext";
import { fromWorkspace } from "../steps/gist";
import { changesOf } from "./changes";
import styles from "./undo.module.css";

/** Names of files that stand in the line; the others are counted. */
const MOST_NAMES = 3;

/** `bare`: beside a line that counts the files already. */
export function StepUndo({ callId, bare = false }: { callId: string; bare?: boolean }) {
  const change = useSessionPlace()?.changes.get(callId);
  if (change === undefined) return null;
  const run = async () => {
    const { outcome } = await undoCall(callId);
    return outcome === undefined ? [] : [outcome];
  };
  return <UndoLine files={change.paths} isUndone={change.undone} redoes={change.tool === "undo"} bare={bare} run={run} />;
}

export function TurnUndo({ turnId }: { turnId: string | null }) {
  const words = useText().conversation.undo;
  const place = useSessionPlace();
  const found = place === null ? null : changesOf(turnId, place.changes.values());
  if (found === null || turnId === null) return null;
  const { files, open, changes, undone } = found;
  return (
    <UndoLine
      files={files}
      isUndone={undone === changes}
      partly={undone > 0 ? words.partly(undone, changes) : null}
      ask={words.askTurn}
      asked={open}
      run={async () => (await undoTurn(turnId)).undone}
    />
  );
}

interface Props {
  files: readonly string[];
  isUndone: boolean;
  /** It undid something: to undo it is to redo that. */
  redoes?: boolean;
  partly?: string | null;
  /** The button, or what became of it, and nothing else. */
  bare?: boolean;
  /** What is asked before, and about which files. */
  ask?: string;
  asked?: readonly string[];
  run: () => Promise<Outcome[]>;
}

function UndoLine({ files, isUndone, redoes = false, partly = null, bare = false, ask, asked = files, run }: Props) {
  const words = useText().conversation.undo;
  const place = useSessionPlace();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ErrorBody | null>(null);
  const [error, setError] = useState<unknown>(null);
  const undo = () => {
    setBusy(true);
    setRefused(null);
    setError(null);
    run()
      .then((outcomes) => setRefused(outcomes.at(-1)?.error ?? null))
      .catch(setError)
      .finally(() => {
        setBusy(false);
        void client.invalidateQueries({ queryKey: keys.undo });
      });
  };
  const named = (file: string) => visible(fromWorkspace(file, place?.workspace ?? null));
  const names = files.map(named);
  const button = (
    <Button size="small" type="link" icon={<UndoOutlined />} loading={busy} {...(ask === undefined ? { onClick: undo } : {})}>
      {redoes ? words.redo : words.undo}
    </Button>
  );
  return (
    <div className={bare ? styles.bare : styles.undo}>
      <p className={styles.line} title={names.join("\n")}>
        {!bare && <span>{words.files(files.length)}</span>}
        <span aria-hidden>·</span>
        {isUndone ? (
          <strong className={styles.undone}>{words.undone}</strong>
        ) : ask === undefined ? (
          button
        ) : (
          <Popconfirm title={ask} description={<span className={styles.asked}>{asked.map(named).join("\n")}</span>} okText={words.undo} onConfirm={undo}>
            {button}
          </Popconfirm>
        )}
        {!isUndone && partly !== null && <span>{partly}</span>}
        {!bare && (
          <span className={styles.names}>
            {names.slice(0, MOST_NAMES).join(", ")}
            {names.length > MOST_NAMES && ` ${words.more(names.length - MOST_NAMES)}`}
          </span>
        )}
      </p>
      {refused !== null && (
        <Alert type="warning" showIcon role="alert" title={words.refused} description={<Why error={refused} />} closable={{ onClose: () => setRefused(null) }} />
      )}
      {error !== null && <Problem error={error} onRetry={undo} />}
    </div>
  );
}

function Why({ error }: { error: ErrorBody }) {
  return (
    <>
      {visible(error.message)}
      {error.hint !== null && <div>{visible(error.hint)}</div>}
    </>
  );
}
