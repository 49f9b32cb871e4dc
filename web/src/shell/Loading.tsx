// What stands where something is on its way.
import { Spin } from "antd";

import { useText } from "../i18n";
import styles from "./shell.module.css";

export function Loading() {
  const text = useText();
  return (
    <div className={styles.loading} role="status" aria-label={text.shell.loading}>
      <Spin delay={200} />
    </div>
  );
}
