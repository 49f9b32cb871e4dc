// The arguments of a call, to be changed: as a form where they are plain, as JSON where they are not.
import { Button, Input, Switch } from "antd";
import { useId, useState } from "react";

import type { Json } from "../../api/types";
import { useText } from "../../i18n";
import styles from "./approval.module.css";

type Fields = Record<string, Json>;

interface Props {
  value: Json;
  busy: boolean;
  onSend: (value: Json) => void;
  onCancel: () => void;
}

export function ArgumentsEditor({ value, busy, onSend, onCancel }: Props) {
  const words = useText().conversation.approval;
  const id = useId();
  const [asJson, setAsJson] = useState(!isPlainObject(value));
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const parsed = parseObject(text);
  const fields = parsed !== null && isPlainObject(parsed) ? parsed : null;
  const set = (key: string, next: Json) => setText(JSON.stringify({ ...fields, [key]: next }, null, 2));
  return (
    <div className={styles.editor}>
      <div className={styles.editorHead}>
        <strong>{words.editTitle}</strong>
        <label>
          <Switch size="small" checked={asJson || fields === null} disabled={fields === null} onChange={setAsJson} /> JSON
        </label>
      </div>
      {asJson || fields === null ? (
        <Input.TextArea
          className={styles.mono}
          aria-label={words.argumentsJson}
          autoSize={{ minRows: 4, maxRows: 16 }}
          value={text}
          status={parsed === null ? "error" : ""}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        Object.entries(fields).map(([key, field]) => (
          <div key={key} className={styles.field}>
            <label htmlFor={`${id}${key}`}>{key}</label>
            {typeof field === "boolean" ? (
              <Switch id={`${id}${key}`} size="small" checked={field} onChange={(next) => set(key, next)} />
            ) : (
              <Input.TextArea
                id={`${id}${key}`}
                className={styles.mono}
                autoSize={{ minRows: 1, maxRows: 10 }}
                value={field === null ? "" : String(field as string | number)}
                onChange={(event) => set(key, typed(event.target.value, field))}
              />
            )}
          </div>
        ))
      )}
      {parsed === null && <p className={styles.wrong}>{words.notJson}</p>}
      <p className={styles.hint}>{words.editHint}</p>
      <div className={styles.buttons}>
        <Button type="primary" loading={busy} disabled={parsed === null} onClick={() => parsed !== null && onSend(parsed)}>
          {words.sendEdited}
        </Button>
        <Button onClick={onCancel}>{words.back}</Button>
      </div>
    </div>
  );
}

function typed(text: string, before: Json): Json {
  if (typeof before !== "number") return text;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : text;
}

function parseObject(text: string): Fields | null {
  try {
    const value = JSON.parse(text) as Json;
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function isPlainObject(value: Json): value is Fields {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  return Object.values(value).every((field) => field === null || typeof field !== "object");
}
