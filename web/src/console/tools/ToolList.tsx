// The list of every tool, by family, searchable in both languages.
import { SearchOutlined } from "@ant-design/icons";
import { Input } from "antd";

import type { ToolInfo } from "../../api/types";
import { useLanguage } from "../../i18n";
import { href } from "../../router";
import styles from "../console.module.css";
import { useConsoleText } from "../texts";
import { families, familyName, findTools } from "./finding";

interface Props {
  tools: ToolInfo[];
  chosen: string | undefined;
  query: string;
  onQuery: (query: string) => void;
}

export function ToolList({ tools, chosen, query, onQuery }: Props) {
  const text = useConsoleText().tools;
  const found = findTools(tools, query);
  return (
    <nav className={styles.list} aria-label={text.list}>
      <div className={styles.listHead}>
        <Input
          allowClear
          prefix={<SearchOutlined aria-hidden />}
          value={query}
          placeholder={text.search}
          aria-label={text.search}
          onChange={(event) => onQuery(event.target.value)}
        />
        <p className={styles.count} role="status">
          {found.length === 0 ? text.none : text.count(found.length, tools.length)}
        </p>
      </div>
      <div className={styles.listBody}>
        {families(found).map((family) => (
          <section key={family.name}>
            <h2>{familyName(family.name, text)}</h2>
            <ul>
              {family.tools.map((tool) => (
                <li key={tool.name}>
                  <Entry tool={tool} isChosen={tool.name === chosen} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
}

function Entry({ tool, isChosen }: { tool: ToolInfo; isChosen: boolean }) {
  const text = useConsoleText().tools;
  const { permission } = tool;
  const colour = permission === "public" ? "" : permission === "moderate" ? styles.dotModerate : styles.dotSensitive;
  return (
    <a
      className={`${styles.entry ?? ""} ${tool.available ? "" : (styles.off ?? "")}`}
      href={href({ name: "tools", tool: tool.name })}
      aria-current={isChosen ? "page" : undefined}
    >
      <span className={styles.entryTop}>
        <span className={styles.entryName}>{tool.name}</span>
        <span
          className={`${styles.dot ?? ""} ${colour ?? ""}`}
          role="img"
          aria-label={text.permissions[permission]}
          title={`${text.permissions[permission]}: ${text.permissionHints[permission]}`}
        />
      </span>
      <span className={styles.entryAbout}>
        <About tool={tool} />
      </span>
    </a>
  );
}

/** What a tool is for, or why it is not to be had. */
function About({ tool }: { tool: ToolInfo }) {
  const text = useConsoleText().tools;
  const { language } = useLanguage();
  if (!tool.available) return <>{tool.unavailable_reason ?? text.unavailable}</>;
  return <>{describe(tool, language)}</>;
}

export function describe(tool: ToolInfo, language: "en" | "zh"): string {
  return language === "zh" && tool.description_zh !== "" ? tool.description_zh : tool.description;
}
