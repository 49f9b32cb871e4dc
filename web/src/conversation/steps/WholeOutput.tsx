// An output that was too long for the conversation: read in full by its handle, in parts.
import { Button, Modal } from "antd";
import { useState } from "react";

import { api } from "../../api/client";
import type { ExecuteResponse, Json } from "../../api/types";
import { useText } from "../../i18n";
import { Problem } from "../../shell/Problem";
import { useSessionPlace } from "../SessionContext";
import { useDownload } from "../useDownload";
import { withoutEscapes } from "./ansi";
import styles from "./steps.module.css";

/** Bytes that are fetched at a time. */
const PART = 20_000;

export function WholeOutput({ handle }: { handle: string }) {
  const words = useText().conversation.step;
  const place = useSessionPlace();
  const fetchFile = useDownload();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [size, setSize] = useState<number | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const more = async () => {
    setBusy(true);
    setError(null);
    try {
      const answer = await api.post<ExecuteResponse>("tools/execute", {
        tool_name: "read_file",
        parameters: { path: handle, offset: at, limit: PART },
        ...(place === null ? {} : { session_id: place.sessionId }),
      });
      if (!answer.success) throw new Error(answer.message);
      const read = readIn(answer.outcome?.data ?? answer.result);
      setText((before) => before + (read?.content ?? answer.outcome?.text ?? answer.message));
      setSize(read?.size ?? at);
      setAt(at + PART);
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const show = () => {
    setOpen(true);
    if (text === "" && !busy) void more();
  };
  return (
    <>
      <Button size="small" onClick={show}>
        {words.showWhole}
      </Button>
      <Modal
        open={open}
        title={words.wholeOutput}
        width="min(960px, 94vw)"
        onCancel={() => setOpen(false)}
        footer={[
          size !== null && at < size && (
            <Button key="more" loading={busy} onClick={() => void more()}>
              {words.readOn(Math.min(100, Math.round((at / size) * 100)))}
            </Button>
          ),
          <Button key="download" onClick={() => fetchFile({ output: handle })}>
            {words.download}
          </Button>,
        ]}
      >
        {error !== null && <Problem error={error} onRetry={() => void more()} />}
        <pre className={styles.whole} tabIndex={0}>
          {withoutEscapes(text)}
        </pre>
      </Modal>
    </>
  );
}

function readIn(data: Json): { content: string; size: number } | null {
  if (data === null || typeof data !== "object" || Array.isArray(data)) return null;
  const { content, size } = data;
  return typeof content === "string" && typeof size === "number" ? { content, size } : null;
}
