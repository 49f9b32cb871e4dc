// The arguments of a call, to be changed: as a form where they are plain, as JSON where they are not.
import { Button, Input, Switch } from "antd";
import { useId, useState } from "react";

import type { Json } from "../../api/types";
import { useText } from "../../i18n";
import { useKept } from "../../text/kept";
import styles from "./approval.module.css";
import { isPlainObject, parseObject, type Plain, type PlainFields, readAs, readFields, writtenOf } from "./fields";
import { UnseenWarning } from "./UnseenWarning";

interface Props {
  /** The question it belongs to: what was written is there again when the question is. */
  id: string;
  value: Json;
  busy: boolean;
  onSend: (value: Json) => void;
  onCancel: () => void;
}

/** A form has the values that it began with, which say what each field is, and the texts that are written now. */
interface Form {
  before: PlainFields;
  written: Record<string, string>;
}

interface Draft {
  json: string;
  form: Form | null;
}

export function ArgumentsEditor({ id, value, busy, onSend, onCancel }: Props) {
  const words = useText().conversation.approval;
  const [draft, setDraft] = useKept<Draft>(id, "arguments", {
    json: JSON.stringify(value, null, 2),
    form: isPlainObject(value) ? { before: value, written: writtenOf(value) } : null,
  });
  const [tried, setTried] = useState(false);
  const { form, json } = draft;
  const read = form === null ? null : readFields(form.before, form.written);
  const parsed = read === null ? parseObject(json) : read.wrong.length === 0 ? read.value : null;
  const toggle = (asJson: boolean) => {
    if (parsed === null) return;
    if (asJson) setDraft({ json: JSON.stringify(parsed, null, 2), form: null });
    else if (isPlainObject(parsed)) setDraft({ json, form: { before: parsed, written: writtenOf(parsed) } });
  };
  const send = () => {
    setTried(true);
    if (parsed !== null) onSend(parsed);
  };
  return (
    <div className={styles.editor}>
      <div className={styles.editorHead}>
        <strong>{words.editTitle}</strong>
        <label>
          <Switch size="small" checked={form === null} disabled={parsed === null || !isPlainObject(parsed)} onChange={toggle} /> JSON
        </label>
      </div>
      {form === null ? (
        <>
          <Input.TextArea
            className={styles.mono}
            aria-label={words.argumentsJson}
            autoSize={{ minRows: 4, maxRows: 16 }}
            value={json}
            status={parsed === null ? "error" : ""}
            onChange={(event) => setDraft({ json: event.target.value, form: null })}
          />
          <UnseenWarning text={json} />
          {parsed === null && <p className={styles.wrong} role="alert">{words.notJson}</p>}
        </>
      ) : (
        Object.entries(form.before).map(([key, before]) => (
          <Field
            key={key}
            name={key}
            before={before}
            written={form.written[key] ?? ""}
            tried={tried}
            onChange={(text) => setDraft({ json, form: { ...form, written: { ...form.written, [key]: text } } })}
          />
        ))
      )}
      <p className={styles.hint}>{words.editHint}</p>
      <div className={styles.buttons}>
        <Button type="primary" loading={busy} disabled={form === null && parsed === null} onClick={send}>
          {words.sendEdited}
        </Button>
        <Button onClick={onCancel}>{words.back}</Button>
      </div>
    </div>
  );
}

interface FieldProps {
  name: string;
  before: Plain;
  written: string;
  tried: boolean;
  onChange: (text: string) => void;
}

function Field({ name, before, written, tried, onChange }: FieldProps) {
  const words = useText().conversation.approval;
  const id = useId();
  const wrong = tried && readAs(before, written) === undefined;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{name}</label>
      {typeof before === "boolean" ? (
        <Switch id={id} size="small" checked={written === "true"} onChange={(next) => onChange(String(next))} />
      ) : (
        <div>
          <Input.TextArea
            id={id}
            className={styles.mono}
            autoSize={{ minRows: 1, maxRows: 10 }}
            value={written}
            placeholder={before === null ? "null" : ""}
            status={wrong ? "error" : ""}
            aria-invalid={wrong}
            aria-describedby={wrong ? `${id}-wrong` : undefined}
            onChange={(event) => onChange(event.target.value)}
          />
          {wrong && <p id={`${id}-wrong`} className={styles.wrong} role="alert">{words.notNumber}</p>}
          <UnseenWarning text={written} />
        </div>
      )}
    </div>
  );
}
