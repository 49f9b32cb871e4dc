// Says that the server is gone, as long as it is. A blink of the connection is not worth a word.
import { SyncOutlined } from "@ant-design/icons";
import { useEffect, useState } from "react";

import { useConnection } from "../api/notices";
import { useText } from "../i18n";
import styles from "./shell.module.css";

const GRACE = 1200;

export function ConnectionBanner() {
  const lost = useConnection() === "lost";
  return (
    <div role="status" aria-live="polite">
      {lost && <Gone />}
    </div>
  );
}

function Gone() {
  const text = useText().shell;
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), GRACE);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <div className={styles.banner}>
      <SyncOutlined spin aria-hidden />
      <strong>{text.gone}</strong>
      <span className={styles.bannerHint}>{text.goneHint}</span>
    </div>
  );
}
