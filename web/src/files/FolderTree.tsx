// A folder as a tree whose branches are read when they are opened.
import { CaretRightOutlined, FileImageOutlined, FileOutlined, FileTextOutlined, FolderOutlined, LinkOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { type ReactNode, useState } from "react";

import { useText } from "../i18n";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import { visible } from "../text/visible";
import { FileRow } from "./FileRow";
import styles from "./files.module.css";
import { type FolderEntry, useFolder } from "./queries";

interface Props {
  path: string;
  sessionId: string | undefined;
  hidden: boolean;
  depth?: number;
}

export function FolderTree({ path, sessionId, hidden, depth = 0 }: Props) {
  const text = useText().files;
  const folder = useFolder(path, sessionId, hidden);
  if (folder.isPending) return <Loading />;
  if (folder.isError) {
    return (
      <div className={styles.problem}>
        <Problem error={folder.error} onRetry={() => void folder.refetch()} />
      </div>
    );
  }
  const entries = folder.data.pages.flatMap((page) => page.entries);
  const rest = (folder.data.pages.at(-1)?.total ?? 0) - entries.length;
  if (entries.length === 0) {
    return (
      <p className={styles.none} style={indent(depth)}>
        {text.emptyFolder}
      </p>
    );
  }
  return (
    <ul className={styles.list}>
      {entries.map((entry) =>
        entry.kind === "folder" ? (
          <Branch key={entry.path} entry={entry} sessionId={sessionId} hidden={hidden} depth={depth} />
        ) : (
          <li key={entry.path}>
            <FileRow
              icon={iconOf(entry)}
              target={{ path: entry.path, name: lastPart(entry.path), sessionId }}
              size={entry.size}
              style={indent(depth)}
            />
          </li>
        ),
      )}
      {folder.hasNextPage && (
        <li style={indent(depth)}>
          <Button type="link" size="small" loading={folder.isFetchingNextPage} onClick={() => void folder.fetchNextPage()}>
            {text.more(rest)}
          </Button>
        </li>
      )}
    </ul>
  );
}

function Branch({ entry, sessionId, hidden, depth }: { entry: FolderEntry } & Omit<Required<Props>, "path">) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        className={styles.row}
        style={indent(depth)}
        aria-expanded={open}
        title={visible(entry.path)}
        onClick={() => setOpen(!open)}
      >
        <CaretRightOutlined aria-hidden className={styles.caret} rotate={open ? 90 : 0} />
        <FolderOutlined aria-hidden className={styles.icon} />
        <span className={styles.name}>{visible(lastPart(entry.path))}</span>
      </button>
      {open && <FolderTree path={entry.path} sessionId={sessionId} hidden={hidden} depth={depth + 1} />}
    </li>
  );
}

/** The room that a caret takes is left free before a file, so that names stand in one line. */
function indent(depth: number): { paddingInlineStart: number } {
  return { paddingInlineStart: 8 + depth * 14 };
}

export function lastPart(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}

function iconOf(entry: FolderEntry): ReactNode {
  if (entry.kind === "link") return <LinkOutlined aria-hidden />;
  if (/\.(png|jpe?g|gif|webp|bmp|svg|ico|avif)$/i.test(entry.path)) return <FileImageOutlined aria-hidden />;
  if (/\.(md|txt|rst|log|csv|tsv|json|toml|ya?ml|ini|conf)$/i.test(entry.path)) return <FileTextOutlined aria-hidden />;
  return <FileOutlined aria-hidden />;
}
