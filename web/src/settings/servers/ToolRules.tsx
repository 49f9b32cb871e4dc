// What a server's tools need: for all of them, and for each.
import { App, Select } from "antd";

import type { ListedTool, McpServer, ServerChange, ServerPermission, ToolRule } from "../../api/types";
import { useText } from "../../i18n";
import { href } from "../../router";
import { sayInOneLine } from "../../shell/Problem";
import { visible } from "../../text/visible";
import shared from "../settings.module.css";
import styles from "./servers.module.css";
import { useServerText } from "./texts";
import { useServerActions } from "./useServers";

const PERMISSIONS: ServerPermission[] = ["public", "moderate", "sensitive"];
const RULES: ToolRule[] = [...PERMISSIONS, "hidden"];

export function ToolRules({ server }: { server: McpServer }) {
  const texts = useText();
  const text = useServerText();
  const { message } = App.useApp();
  const { change } = useServerActions();
  const set = (wanted: ServerChange) =>
    change.mutate(
      { name: server.name, change: wanted },
      { onError: (error) => void message.error(sayInOneLine(error, texts)) },
    );
  const disabled = !server.editable || change.isPending;
  return (
    <section>
      <h3>{text.permissions}</h3>
      <p className={shared.hint}>
        {text.rulesAbout} <a href={href({ name: "view", view: "grants" })}>{text.remembered}</a>
      </p>
      <div className={styles.rule}>
        <span>{text.serverPermission}</span>
        <Select
          className={styles.choice}
          aria-label={text.serverPermission}
          disabled={disabled}
          value={server.permission}
          options={PERMISSIONS.map((value) => ({ value, label: text.rule[value] }))}
          onChange={(permission) => set({ permission })}
        />
      </div>
      {server.tools.length === 0 && <p className={shared.hint}>{server.status === "ready" ? text.noTools : text.toolsLater}</p>}
      <ul className={styles.tools}>
        {server.tools.map((tool) => (
          <li key={tool.name} className={styles.rule}>
            <code title={tool.called_as}>{visible(tool.name)}</code>
            <Select
              className={styles.choice}
              aria-label={visible(tool.name)}
              disabled={disabled}
              value={ruleOf(tool)}
              options={[
                { value: "default", label: text.asServer(text.rule[server.permission]) },
                ...RULES.map((value) => ({ value, label: text.rule[value] })),
              ]}
              onChange={(value: ToolRule | "default") => set({ tools: { [tool.name]: value === "default" ? null : value } })}
            />
          </li>
        ))}
      </ul>
      {server.refused.length > 0 && (
        <>
          <h3>{text.refused}</h3>
          <ul className={styles.tools}>
            {server.refused.map(({ name, why }, index) => (
              <li key={index}>
                <code>{visible(name)}</code>: {visible(why)}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function ruleOf(tool: ListedTool): ToolRule | "default" {
  return tool.hidden ? "hidden" : (tool.permission ?? "default");
}
