// The end of a server's log, as it grows.
import { useEffect, useRef } from "react";

import { timeText } from "../../console/format";
import { useLanguage } from "../../i18n";
import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import styles from "./servers.module.css";
import { useServerText } from "./texts";
import { useServerLog } from "./useServers";

export function ServerLog({ name }: { name: string }) {
  const text = useServerText();
  const { language } = useLanguage();
  const log = useServerLog(name);
  const end = useRef<HTMLPreElement>(null);
  const lines = log.data?.lines ?? [];
  useEffect(() => {
    if (end.current !== null) end.current.scrollTop = end.current.scrollHeight;
  }, [lines.length]);
  return (
    <section>
      <h3>{text.log}</h3>
      {log.isError && <Problem error={log.error} onRetry={() => void log.refetch()} />}
      {log.isSuccess && (
        <pre className={styles.log} ref={end} role="log" aria-label={text.log} tabIndex={0}>
          {lines.length === 0
            ? text.logEmpty
            : lines.map(({ at, source, text: line }, index) => (
                <span key={index} className={source === "connection" ? styles.event : undefined}>
                  {timeText(at, language)} {visible(line)}
                  {"\n"}
                </span>
              ))}
        </pre>
      )}
    </section>
  );
}
