// A message of the person, to be said in another way in a copy of the conversation.
import { Button, Input } from "antd";
import { useState } from "react";

import { useText } from "../i18n";
import { Problem } from "../shell/Problem";
import { isComposing } from "../text/composing";
import { useKept } from "../text/kept";
import styles from "./conversation.module.css";

interface Props {
  /** What was written is there again when the message is. */
  id: string;
  text: string;
  onSend: (text: string) => Promise<void>;
  onCancel: () => void;
  /** It was opened just now, and not only drawn again. */
  focused: boolean;
}

export function EditMessage({ id, text, onSend, onCancel, focused }: Props) {
  const words = useText().conversation.message;
  const [edited, setEdited] = useKept(id, "edited", text);
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
        autoFocus={focused}
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
