// A message of the person, to be said in another way in a copy of the conversation.
import { Button, Input } from "antd";
import { useState } from "react";

import { useText } from "../i18n";
import { Problem } from "../shell/Problem";
import { isComposing } from "../text/composing";
import styles from "./conversation.module.css";

interface Props {
  text: string;
  onSend: (text: string) => Promise<void>;
  onCancel: () => void;
}

export function EditMessage({ text, onSend, onCancel }: Props) {
  const words = useText().conversation.message;
  const [edited, setEdited] = useState(text);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = () => {
    if (edited.trim() === "" || busy) return;
    setBusy(true);
    setError(null);
    onSend(edited)
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <div className={styles.editing}>
      <Input.TextArea
        autoFocus
        aria-label={words.edit}
        autoSize={{ minRows: 2, maxRows: 14 }}
        value={edited}
        onChange={(event) => setEdited(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && !isComposing(event)) onCancel();
        }}
      />
      <p className={styles.hint}>{words.editHint}</p>
      {error !== null && <Problem error={error} onRetry={send} />}
      <div className={styles.editButtons}>
        <Button type="primary" loading={busy} disabled={edited.trim() === ""} onClick={send}>
          {words.sendInCopy}
        </Button>
        <Button onClick={onCancel}>{words.cancel}</Button>
      </div>
    </div>
  );
}
