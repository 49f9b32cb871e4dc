// The line above a conversation: whether it is a demo, where it comes from, and what can be done to all of it.
import { CompressOutlined, ExportOutlined, ForkOutlined, MoreOutlined } from "@ant-design/icons";
import { Button, Dropdown, Tag } from "antd";

import type { SessionDetail } from "../api/types";
import { useText } from "../i18n";
import { href } from "../router";
import { exportSession } from "./actions";
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
    <div className={styles.bar}>
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
      <span className="dh-space" style={{ flex: 1 }} />
      <Dropdown
        trigger={["click"]}
        placement="bottomRight"
        menu={{
          items: [
            { key: "markdown", icon: <ExportOutlined />, label: words.exportMarkdown },
            { key: "json", icon: <ExportOutlined />, label: words.exportJson },
            { type: "divider" },
            { key: "compact", icon: <CompressOutlined />, label: words.compact, disabled: running || compacting },
          ],
          onClick: ({ key }) => {
            if (key === "compact") onCompact();
            else exportSession(session.id, key === "json" ? "json" : "markdown");
          },
        }}
      >
        <Button type="text" size="small" icon={<MoreOutlined />} loading={compacting} aria-label={words.menu} aria-haspopup="menu" />
      </Dropdown>
    </div>
  );
}
