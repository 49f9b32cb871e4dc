// The answers to a plan. After its time it is not answered any more, but can be asked again.
import { RedoOutlined } from "@ant-design/icons";
import { Button } from "antd";

import { useNow } from "../../conversation/steps/Since";
import { useConsoleText } from "../texts";
import styles from "./call.module.css";
import type { Call } from "./useCall";

interface Props {
  call: Call;
  until: string | undefined;
  /** What the button for the yes says. */
  yes: string;
  /** What the button for the no says, where “No” is not the word. */
  no?: string | undefined;
}

export function Answers({ call, until, yes, no }: Props) {
  const text = useConsoleText().call;
  const now = useNow(1000);
  const left = until === undefined ? 1 : Date.parse(until) - now;
  if (left <= 0) {
    return (
      <>
        <span className={styles.warn} role="status">
          {text.expired}
        </span>
        <AskAgain call={call} />
      </>
    );
  }
  return (
    <>
      <Button type="primary" onClick={call.confirm}>
        {yes}
      </Button>
      <Button onClick={call.decline}>{no ?? text.no}</Button>
    </>
  );
}

export function AskAgain({ call }: { call: Call }) {
  const text = useConsoleText().call;
  return (
    <Button icon={<RedoOutlined />} onClick={call.again}>
      {text.askAgain}
    </Button>
  );
}
