// The tool console: every tool, with a form made from its schema. On a phone either the list or one tool.
import { Alert } from "antd";
import { useState } from "react";

import { useTools } from "../api/queries";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import { useWidth } from "../shell/useWidth";
import styles from "./console.module.css";
import { useConsoleText } from "./texts";
import { ToolList } from "./tools/ToolList";
import { ToolPage } from "./tools/ToolPage";

export function ConsoleView({ tool }: { tool?: string }) {
  const text = useConsoleText().tools;
  const phone = useWidth() === "phone";
  const tools = useTools();
  const [query, setQuery] = useState("");
  if (tools.isPending) return <Loading />;
  if (tools.isError) {
    return (
      <div className={styles.page}>
        <h1 className="dh-hidden">{text.title}</h1>
        <Problem error={tools.error} onRetry={() => void tools.refetch()} />
      </div>
    );
  }
  const chosen = tools.data.find((one) => one.name === tool);
  return (
    <div className={styles.split}>
      {chosen === undefined && (phone || tool !== undefined) && <h1 className="dh-hidden">{text.title}</h1>}
      {(!phone || tool === undefined) && <ToolList tools={tools.data} chosen={tool} query={query} onQuery={setQuery} />}
      {(!phone || tool !== undefined) && (
        <div className={styles.body}>
          {chosen !== undefined ? (
            <ToolPage key={chosen.name} tool={chosen} />
          ) : tool !== undefined ? (
            <div className={styles.page}>
              <Alert type="warning" showIcon title={text.unknown(tool)} />
            </div>
          ) : (
            <div className={styles.welcome}>
              <div>
                <h1>{text.title}</h1>
                <p>{text.intro}</p>
                <p>{text.choose}</p>
              </div>
            </div>
          )}
        </div>
      )}
    </div>
  );
}
