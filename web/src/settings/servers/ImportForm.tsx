// The settings of another client: pasted, or from a file.
import { Button, Input } from "antd";
import { useId, useRef, useState } from "react";

import shared from "../settings.module.css";
import styles from "./servers.module.css";
import { useServerText } from "./texts";
import type { NewServers } from "./useServers";

interface Props {
  pending: boolean;
  onReview: (given: NewServers) => void;
  onCancel: () => void;
}

export function ImportForm({ pending, onReview, onCancel }: Props) {
  const text = useServerText();
  const id = useId();
  const [json, setJson] = useState("");
  const file = useRef<HTMLInputElement>(null);
  return (
    <form
      className={shared.keyForm}
      onSubmit={(event) => {
        event.preventDefault();
        onReview({ json });
      }}
    >
      <p className={shared.about}>{text.importAbout}</p>
      <label htmlFor={id}>{text.importLabel}</label>
      <Input.TextArea
        id={id}
        className={shared.mono}
        autoSize={{ minRows: 6, maxRows: 16 }}
        spellCheck={false}
        value={json}
        onChange={(event) => setJson(event.target.value)}
      />
      <input
        ref={file}
        className={styles.file}
        type="file"
        accept=".json,application/json"
        aria-label={text.chooseFile}
        tabIndex={-1}
        onChange={(event) => void event.target.files?.[0]?.text().then(setJson)}
      />
      <div className={shared.line}>
        <Button type="primary" htmlType="submit" loading={pending} disabled={json.trim() === ""}>
          {text.review}
        </Button>
        <Button onClick={() => file.current?.click()}>{text.chooseFile}</Button>
        <Button onClick={onCancel}>{text.cancel}</Button>
      </div>
    </form>
  );
}
