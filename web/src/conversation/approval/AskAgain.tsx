// A question that nobody answered in time: the same call is made again, and so planned and asked again.
import { RedoOutlined } from "@ant-design/icons";
import { Button } from "antd";

import { useText } from "../../i18n";
import { useSessionPlace } from "../SessionContext";
import type { CallItem } from "../view";
import styles from "./approval.module.css";

/** Stands in arguments where something was masked: what it was is not kept. */
const MASK = "⟦masked:";

export function AskAgain({ call }: { call: CallItem }) {
  const words = useText().conversation.approval;
  const place = useSessionPlace();
  if (place?.expired.has(call.callId) !== true) return null;
  if (JSON.stringify(call.arguments).includes(MASK)) return <p className={styles.settled}>{words.askAgainMasked}</p>;
  const { askAgain } = place;
  if (askAgain === null) return null;
  return (
    <div className={styles.buttons}>
      <Button size="small" icon={<RedoOutlined />} onClick={() => askAgain(call)}>
        {words.askAgain}
      </Button>
    </div>
  );
}
