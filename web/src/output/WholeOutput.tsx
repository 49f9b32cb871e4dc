// An output that was too long to be shown: read in full by its handle, part by part.
import { Button, Modal } from "antd";
import { useState } from "react";

import { useSessionPlace } from "../conversation/SessionContext";
import { withoutEscapes } from "../conversation/steps/ansi";
import { useDownload } from "../conversation/useDownload";
import { useText } from "../i18n";
import { Problem } from "../shell/Problem";
import { visible } from "../text/visible";
import styles from "./output.module.css";
import { beginOf, type Part, readPart } from "./parts";

export function WholeOutput({ handle }: { handle: string }) {
  const words = useText().conversation.step;
  const sessionId = useSessionPlace()?.sessionId ?? null;
  const fetchFile = useDownload();
  const [open, setOpen] = useState(false);
  const [read, setRead] = useState<Part>({ text: "", next: beginOf(handle), percent: null });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const more = async () => {
    if (read.next === null || busy) return;
    setBusy(true);
    setError(null);
    try {
      const part = await readPart(handle, read.next, sessionId);
      setRead({ ...part, text: read.text + part.text });
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const show = () => {
    setOpen(true);
    if (read.text === "") void more();
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
          read.text !== "" && read.next !== null && (
            <Button key="more" loading={busy} onClick={() => void more()}>
              {read.percent === null ? words.readMore : words.readOn(read.percent)}
            </Button>
          ),
          <Button key="download" onClick={() => fetchFile({ output: handle })}>
            {words.download}
          </Button>,
        ]}
      >
        {error !== null && <Problem error={error} onRetry={() => void more()} />}
        <pre className={styles.whole} tabIndex={0} aria-label={words.wholeOutput}>
          {visible(withoutEscapes(read.text))}
        </pre>
      </Modal>
    </>
  );
}
