// A file: as a chip in a text, as a card below a step. A click fetches it.
import { DownloadOutlined, FileOutlined, PaperClipOutlined } from "@ant-design/icons";

import { useUploads } from "../api/queries";
import { useText } from "../i18n";
import { bytesText } from "../text/bytes";
import { visible } from "../text/visible";
import styles from "./conversation.module.css";
import type { Source } from "./download";
import { useSessionPlace } from "./SessionContext";
import { useDownload } from "./useDownload";

/** An upload of this session, by its id. */
export function FileChip({ id }: { id: string }) {
  const words = useText().conversation;
  const uploads = useUploads(useSessionPlace()?.sessionId);
  const fetchFile = useDownload();
  const upload = uploads.data?.find((one) => one.id === id);
  const name = upload?.name ?? words.unknownFile(id.slice(0, 8));
  return (
    <button
      type="button"
      className={styles.chip}
      title={upload ? `${words.download} · ${bytesText(upload.size)}` : id}
      disabled={upload === undefined}
      onClick={() => fetchFile({ upload_id: id })}
    >
      <PaperClipOutlined aria-hidden />
      <span>{visible(name)}</span>
    </button>
  );
}

export function FileCard({ name, detail, source }: { name: string; detail?: string; source: Source }) {
  const words = useText().conversation;
  const fetchFile = useDownload();
  return (
    <button type="button" className={styles.fileCard} onClick={() => fetchFile(source)} title={words.download}>
      <FileOutlined aria-hidden />
      <span className={styles.fileName}>
        <span>{visible(name)}</span>
        {detail !== undefined && <small>{detail}</small>}
      </span>
      <DownloadOutlined aria-label={words.download} />
    </button>
  );
}
