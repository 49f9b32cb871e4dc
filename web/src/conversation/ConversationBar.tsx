// The line above a conversation: whether it is a demo, where it comes from, and a way to make it shorter. Its other actions
// are in the menu beside its title.
import { CompressOutlined, ForkOutlined } from "@ant-design/icons";
import { Button, Popconfirm, Tag, Tooltip } from "antd";

import type { SessionDetail } from "../api/types";
import { useText } from "../i18n";
import { href } from "../router";
import styles from "./conversation.module.css";

interface Props {
  session: SessionDetail;
  running: boolean;
  compacting: boolean;
  onCompact: () => void;
}

export function ConversationBar({ session, running, compacting, onCompact }: Props) {
  const words = useText().conversation.bar;
  const { demo, forked_from: origin } = session.metadata;
  const elsewhere = session.turn?.state === "elsewhere";
  return (
    <div className={styles.bar} data-bare={(demo !== true && origin === undefined && !elsewhere) || undefined}>
      {demo === true && (
        <span className={styles.demo} title={words.demoHint}>
          <Tag color="blue">{words.demo}</Tag>
          <span>{words.demoHint}</span>
        </span>
      )}
      {origin !== undefined && (
        <a className={styles.origin} href={href({ name: "session", id: origin.session_id, message: origin.message_id })}>
          <ForkOutlined aria-hidden /> {words.forkedFrom}
        </a>
      )}
      {elsewhere && <span className={styles.origin}>{words.elsewhere}</span>}
      <Popconfirm title={words.compact} description={words.compactHint} okText={words.compactNow} onConfirm={onCompact} disabled={running || compacting} placement="bottomRight">
        <Tooltip title={words.compact} placement="left">
          <Button className={styles.compact} type="text" size="small" icon={<CompressOutlined />} loading={compacting} disabled={running} aria-label={words.compact} />
        </Tooltip>
      </Popconfirm>
    </div>
  );
}
