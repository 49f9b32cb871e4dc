// How many questions wait for an answer, and the way to each.
import { BellOutlined } from "@ant-design/icons";
import { Badge, Button, Popover } from "antd";
import { useState } from "react";

import { isConversation, placeOf } from "../api/conversations";
import { useApprovals } from "../api/queries";
import type { ApprovalRequest } from "../api/types";
import { useText } from "../i18n";
import { navigate } from "../router";
import { visible } from "../text/visible";
import styles from "./shell.module.css";
import { canAskToNotify, useNotifications } from "./useNotifications";

export function ApprovalsBell() {
  const text = useText().shell;
  const [open, setOpen] = useState(false);
  const pending = useApprovals().data ?? [];
  const askToNotify = useNotifications(pending);
  const label = text.approvals(pending.length);
  const go = (approval: ApprovalRequest) => {
    setOpen(false);
    navigate(placeOf(approval));
  };
  const list = (
    <div className={styles.bellList}>
      {pending.length === 0 ? (
        <p className={styles.bellEmpty}>{text.noApprovals}</p>
      ) : (
        <ul>
          {pending.map((approval) => (
            <li key={approval.id}>
              <button type="button" className={styles.bellItem} onClick={() => go(approval)}>
                <strong>{visible(approval.tool)}</strong>
                <span>{summaryOf(approval)}</span>
                {!isConversation(approval.session_id) && <small>{visible(approval.caller)}</small>}
              </button>
            </li>
          ))}
        </ul>
      )}
      {canAskToNotify() && (
        <Button size="small" block onClick={askToNotify}>
          {text.allowNotifications}
        </Button>
      )}
    </div>
  );
  return (
    <Popover
      content={list}
      title={text.approvalsTitle}
      trigger="click"
      placement="bottomRight"
      // Within the header it belongs to a landmark.
      getPopupContainer={(button) => button.parentElement ?? document.body}
      open={open}
      onOpenChange={setOpen}
    >
      <Button
        type="text"
        aria-label={label}
        title={label}
        icon={
          <Badge count={pending.length} size="small" offset={[2, -2]}>
            <BellOutlined aria-hidden />
          </Badge>
        }
      />
    </Popover>
  );
}

export function summaryOf(approval: ApprovalRequest): string {
  const { subject } = approval;
  return visible(subject.about === "execution" ? subject.plan.summary : subject.text.slice(0, 120));
}
