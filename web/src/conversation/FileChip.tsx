// A file: as a chip in a text, as a card below a step. A click fetches it.
import { DownloadOutlined, FileOutlined, PaperClipOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";

import { keys } from "../api/keys";
import { useUploads } from "../api/queries";
import type { Upload } from "../api/types";
import { useText } from "../i18n";
import { bytesText } from "../text/bytes";
import { visible } from "../text/visible";
import styles from "./conversation.module.css";
import { contentOf, type Source } from "./download";
import { Picture } from "./markdown/Picture";
import { PICTURES } from "./sender/uploads";
import { useSessionPlace } from "./SessionContext";
import { useDownload } from "./useDownload";

/** A larger picture is fetched only when it is asked for. */
const MOST_SHOWN = 20 * 1024 * 1024;

/** An upload of this session, by its id. A picture is shown, too. */
export function FileChip({ id }: { id: string }) {
  const words = useText().conversation;
  const uploads = useUploads(useSessionPlace()?.sessionId);
  const fetchFile = useDownload();
  const upload = uploads.data?.find((one) => one.id === id);
  const name = upload?.name ?? words.unknownFile(id.slice(0, 8));
  const chip = (
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
  if (upload === undefined || !PICTURES.includes(upload.mime) || upload.size > MOST_SHOWN) return chip;
  return (
    <span className={styles.pictured}>
      <Thumbnail upload={upload} />
      {chip}
    </span>
  );
}

/** A picture as it was sent. */
function Thumbnail({ upload }: { upload: Upload }) {
  const words = useText().conversation.sender;
  const { data } = useQuery({
    queryKey: keys.picture(upload.id),
    queryFn: () => contentOf({ upload_id: upload.id }, upload.session_id),
    staleTime: Infinity,
  });
  return data === undefined ? null : <Picture source={data} alt={words.pictureOf(upload.name)} />;
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
