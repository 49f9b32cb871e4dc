// One file: a click looks into it, the arrow takes it along.
import { DownloadOutlined } from "@ant-design/icons";
import { Button } from "antd";
import type { CSSProperties, ReactNode } from "react";

import { useText } from "../i18n";
import { bytesText } from "../text/bytes";
import { visible } from "../text/visible";
import styles from "./files.module.css";
import { openPreview, type PreviewTarget, usePreview } from "./preview";
import { useDownload } from "./useDownload";

interface Props {
  icon: ReactNode;
  target: PreviewTarget;
  size?: number | undefined;
  style?: CSSProperties;
}

export function FileRow({ icon, target, size, style }: Props) {
  const text = useText().files;
  const download = useDownload();
  const current = usePreview()?.path === target.path;
  return (
    <div className={styles.file}>
      <button
        type="button"
        className={styles.row}
        style={style}
        title={visible(target.path)}
        aria-current={current || undefined}
        onClick={() => openPreview(target)}
      >
        <span className={styles.caret} />
        <span className={styles.icon}>{icon}</span>
        <span className={styles.name}>{visible(target.name)}</span>
        {size !== undefined && <span className={styles.size}>{bytesText(size)}</span>}
      </button>
      <Button
        type="text"
        size="small"
        className={styles.get}
        aria-label={text.downloadNamed(visible(target.name))}
        title={text.download}
        icon={<DownloadOutlined aria-hidden />}
        onClick={() => download(target)}
      />
    </div>
  );
}
