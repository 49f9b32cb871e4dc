// The files that go with the next message: how far each is, and a way to take it back.
import { CloseOutlined, FileOutlined, ReloadOutlined } from "@ant-design/icons";
import { Button } from "antd";

import { useUploads } from "../../api/queries";
import type { ForModelReason } from "../../api/types";
import { useText } from "../../i18n";
import { sayInOneLine } from "../../shell/Problem";
import { bytesText } from "../../text/bytes";
import { visible } from "../../text/visible";
import styles from "./sender.module.css";
import { type Attachment, detach, retryAttachment } from "./uploads";

interface Props {
  sessionId: string;
  attachments: readonly Attachment[];
  limit: number;
}

export function AttachmentList({ sessionId, attachments, limit }: Props) {
  const words = useText().conversation.sender;
  // Asked again when another model is chosen, which may take something else.
  const uploads = useUploads(sessionId).data;
  const reasonOf = ({ upload }: Attachment) =>
    (uploads?.find(({ id }) => id === upload?.id)?.for_model ?? upload?.for_model)?.reason ?? null;
  if (attachments.length === 0) return null;
  return (
    <ul className={styles.attachments} aria-label={words.attachments}>
      {attachments.map((one) => (
        <li key={one.key} className={styles.attachment} data-state={one.state}>
          {one.preview === null ? <FileOutlined aria-hidden /> : <img className={styles.preview} src={one.preview} alt={words.pictureOf(one.name)} />}
          <div className={styles.attachmentBody}>
            <span className={styles.attachmentName} title={visible(one.name)}>
              {visible(one.name)}
            </span>
            <State one={one} limit={limit} reason={reasonOf(one)} />
          </div>
          {one.state === "failed" && (
            <Button type="text" size="small" icon={<ReloadOutlined />} aria-label={words.retryUpload(one.name)} onClick={() => retryAttachment(sessionId, one.key)} />
          )}
          <Button type="text" size="small" icon={<CloseOutlined />} aria-label={words.removeFile(one.name)} onClick={() => detach(sessionId, one.key)} />
        </li>
      ))}
    </ul>
  );
}

function State({ one, limit, reason }: { one: Attachment; limit: number; reason: ForModelReason | null }) {
  const text = useText();
  const words = text.conversation.sender;
  switch (one.state) {
    case "sending":
      return <progress max={Math.max(1, one.size)} value={one.sent} aria-label={words.uploading(one.name)} />;
    case "waiting":
      return <small role="status">{words.uploadWaits}</small>;
    case "done":
      return (
        <>
          <small>{bytesText(one.size)}</small>
          {reason !== null && (
            <small role="status" className={styles.warning}>
              {words.forModel[reason]}
            </small>
          )}
        </>
      );
    case "too_large":
      return <small role="alert">{words.tooLarge(bytesText(one.size), bytesText(limit))}</small>;
    case "failed":
      return <small role="alert">{words.uploadFailed(sayInOneLine(one.error, text))}</small>;
  }
}
