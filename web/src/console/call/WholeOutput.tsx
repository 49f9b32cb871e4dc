// The whole of an output that was cut, read part by part by its handle.
import { Button } from "antd";
import { useState } from "react";

import { api } from "../../api/client";
import type { ExecuteResponse, Json } from "../../api/types";
import { download } from "../../files/download";
import { Problem } from "../../shell/Problem";
import { isFields } from "../schema/schema";
import { useConsoleText } from "../texts";
import styles from "./call.module.css";

interface Part {
  text: string;
  /** The arguments of `read_file` for the next part. */
  next: { [key: string]: Json } | null;
}

export function WholeOutput({ handle }: { handle: string }) {
  const text = useConsoleText().call;
  const [read, setRead] = useState<Part>({ text: "", next: { path: handle } });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const doing = async (action: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    try {
      await action();
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  };
  const readOn = () =>
    doing(async () => {
      const response = await api.post<ExecuteResponse>("tools/execute", { tool_name: "read_file", parameters: read.next });
      if (!response.success) throw new Error(response.outcome?.error?.message ?? response.message);
      const part = partOf(handle, response);
      setRead({ text: read.text + part.text, next: part.next });
    });
  const begun = read.text !== "";
  return (
    <div className={styles.cardBody} style={{ padding: 0 }}>
      {begun && (
        <pre className={styles.pre} tabIndex={0} aria-label={text.whole}>
          {read.text}
        </pre>
      )}
      {error !== null && <Problem error={error} />}
      <div className={styles.buttons}>
        {!begun && <span className={styles.warn}>{text.truncated}</span>}
        {read.next !== null && (
          <Button size="small" loading={busy} onClick={() => void readOn()}>
            {begun ? text.showMore : text.showWhole}
          </Button>
        )}
        <Button size="small" disabled={busy} onClick={() => void doing(() => download({ path: handle, name: handle }))}>
          {text.download}
        </Button>
      </div>
    </div>
  );
}

export function partOf(handle: string, response: ExecuteResponse): Part {
  const data = response.outcome?.data ?? response.result;
  if (!isFields(data) || typeof data.content !== "string") return { text: response.message, next: null };
  const { content, next_start_line: line, next_offset: offset } = data;
  if (typeof line === "number") return { text: content, next: { path: handle, start_line: line } };
  return { text: content, next: typeof offset === "number" ? { path: handle, offset } : null };
}
