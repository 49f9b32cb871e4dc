// The next step of a demo. Nothing of it plays before it is asked for.
import { StepForwardOutlined } from "@ant-design/icons";
import { Button } from "antd";

import { useText } from "../../i18n";
import { href } from "../../router";
import styles from "./sender.module.css";

interface Props {
  /** The messages of the script. */
  suggested: readonly string[];
  /** What was said so far. */
  said: readonly string[];
  busy: boolean;
  onNext: (message: string) => void;
}

export function DemoNext({ suggested, said, busy, onNext }: Props) {
  const words = useText().conversation.demo;
  const done = Math.max(0, ...said.map((message) => suggested.indexOf(message.trim()) + 1));
  const next = suggested[done];
  if (suggested.length === 0) return null;
  if (next === undefined) {
    return (
      <div className={styles.demo} role="status">
        <span className={styles.demoText}>{words.over}</span>
        <Button type="primary" href={href({ name: "setup" })}>
          {words.setUp}
        </Button>
      </div>
    );
  }
  return (
    <div className={styles.demo}>
      <Button type="primary" icon={<StepForwardOutlined />} disabled={busy} onClick={() => onNext(next)}>
        {words.next}
      </Button>
      <span className={styles.demoText}>{next}</span>
      <span>{words.step(done + 1, suggested.length)}</span>
    </div>
  );
}
