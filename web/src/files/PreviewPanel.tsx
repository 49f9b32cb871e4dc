// A look into one file, in the panel on the right.
import { DownloadOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";

import { ConfirmationNeeded } from "../api/execute";
import { CopyButton } from "../conversation/CopyButton";
import { useText } from "../i18n";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import { ToolPanel } from "../shell/ToolPanel";
import { bytesText } from "../text/bytes";
import { visible } from "../text/visible";
import styles from "./files.module.css";
import { closePreview, type PreviewTarget } from "./preview";
import { type FilePart, useFile } from "./queries";
import { useDownload } from "./useDownload";

export function PreviewPanel({ target }: { target: PreviewTarget }) {
  const text = useText().files;
  const download = useDownload();
  return (
    <ToolPanel title={visible(target.name)} open onClose={closePreview}>
      <div className={styles.bar}>
        <code className={styles.path} title={visible(target.path)}>
          {visible(target.path)}
        </code>
        <CopyButton text={target.path} label={text.copyPath} />
        <Button size="small" icon={<DownloadOutlined aria-hidden />} onClick={() => download(target)}>
          {text.download}
        </Button>
      </div>
      <Content key={`${target.path} ${target.sessionId ?? ""}`} target={target} />
    </ToolPanel>
  );
}

function Content({ target }: { target: PreviewTarget }) {
  const text = useText().files;
  const [planId, setPlanId] = useState<string | null>(null);
  const { file, readOn } = useFile(target.path, target.sessionId, planId);
  if (file.isPending) return <Loading />;
  if (file.data === undefined) {
    return file.error instanceof ConfirmationNeeded ? (
      <Asks needed={file.error} onYes={setPlanId} />
    ) : (
      <Problem error={file.error} onRetry={() => void file.refetch()} />
    );
  }
  const [first] = file.data.pages;
  if (first === undefined) return null;
  const image = first.images[0];
  if (image !== undefined) {
    return <img className={styles.image} src={`data:${image.mime};base64,${image.base64}`} alt={visible(target.name)} />;
  }
  // The next part failed, or wants a yes of its own: what was read stays.
  const stopped = file.isFetchingNextPage ? null : file.error;
  return (
    <>
      <Facts parts={file.data.pages} first={first} />
      <Lines parts={file.data.pages} name={visible(target.name)} />
      {stopped instanceof ConfirmationNeeded ? (
        <Asks needed={stopped} onYes={readOn} />
      ) : stopped !== null ? (
        <Problem error={stopped} onRetry={() => readOn(null)} />
      ) : (
        file.hasNextPage && (
          <Button block loading={file.isFetchingNextPage} onClick={() => readOn(null)}>
            {text.readMore}
          </Button>
        )
      )}
    </>
  );
}

function Asks({ needed, onYes }: { needed: ConfirmationNeeded; onYes: (planId: string) => void }) {
  const text = useText().files;
  const { planId } = needed;
  return (
    <div className={styles.asks}>
      <p>{text.asks}</p>
      <p>{visible(needed.message)}</p>
      <Button type="primary" disabled={planId === null} onClick={() => planId !== null && onYes(planId)}>
        {text.readAnyway}
      </Button>
    </div>
  );
}

function Facts({ parts, first }: { parts: FilePart[]; first: FilePart }) {
  const text = useText().files;
  const total = parts.at(-1)?.total_lines;
  const lines = total ?? parts.at(-1)?.end_line;
  const facts = [
    bytesText(first.size),
    lines === undefined ? null : total === undefined ? text.lines("1", String(lines)) : text.whole(String(lines)),
    first.encoding ?? null,
  ];
  return (
    <p className={styles.facts}>
      {facts.filter((fact) => fact !== null).join(" · ")}
      {first.notes?.map((note) => <span key={note}> · {note}</span>)}
    </p>
  );
}

function Lines({ parts, name }: { parts: FilePart[]; name: string }) {
  const lines = parts.flatMap((part) => part.content.replace(/\r?\n$/, "").split(/\r?\n/));
  const from = parts[0]?.start_line ?? 1;
  return (
    // Long lines are read by scrolling, which the keyboard must be able to do.
    <div className={styles.text} tabIndex={0} role="region" aria-label={name}>
      <pre className={styles.numbers} aria-hidden>
        {lines.map((_, index) => from + index).join("\n")}
      </pre>
      <pre className={styles.code}>{lines.join("\n")}</pre>
    </div>
  );
}
