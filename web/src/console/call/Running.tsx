// How long a call has been running.
import { Spin } from "antd";
import { useEffect, useState } from "react";

import { useConsoleText } from "../texts";
import styles from "./call.module.css";

export function Running({ since }: { since: number }) {
  const text = useConsoleText().call;
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - since) / 1000)), 500);
    return () => clearInterval(timer);
  }, [since]);
  return (
    <span className={styles.buttons} role="status">
      <Spin size="small" />
      <span aria-live="off">{text.running(seconds)}</span>
    </span>
  );
}
