// One tool: what it is, its form, the plan, the run, the outcome.
import { ArrowLeftOutlined } from "@ant-design/icons";
import { Alert, Collapse } from "antd";

import type { ToolInfo } from "../../api/types";
import { useLanguage } from "../../i18n";
import { href } from "../../router";
import { useWidth } from "../../shell/useWidth";
import { PermissionBadge } from "../call/PermissionBadge";
import styles from "../console.module.css";
import { SchemaView } from "../docs/SchemaView";
import { Prose } from "../Prose";
import { useConsoleText } from "../texts";
import { effectWords } from "./effects";
import { describe } from "./ToolList";
import { Workbench } from "./Workbench";

export function ToolPage({ tool }: { tool: ToolInfo }) {
  const text = useConsoleText().tools;
  const { language } = useLanguage();
  const phone = useWidth() === "phone";
  return (
    <article className={styles.page}>
      {phone && (
        <a className={styles.back} href={href({ name: "tools" })}>
          <ArrowLeftOutlined aria-hidden /> {text.back}
        </a>
      )}
      <header className={styles.pageHead}>
        <div className={styles.titleRow}>
          <h1>
            <code>{tool.name}</code>
          </h1>
          <PermissionBadge permission={tool.permission} />
          <span className={styles.faint}>{effectWords(tool.effects, text)}</span>
        </div>
        <p className={styles.about}>
          <Prose>{describe(tool, language)}</Prose>
        </p>
        {!tool.available && (
          <Alert type="warning" showIcon title={text.unavailable} description={tool.unavailable_reason} />
        )}
      </header>
      <Workbench tool={tool} />
      <Collapse
        size="small"
        ghost
        items={[
          {
            key: "result",
            label: text.result,
            children: <SchemaView schema={tool.output_schema} root={tool.output_schema} />,
          },
        ]}
      />
      <p className={styles.faint}>
        {text.toolsets}: {tool.toolsets.join(", ")} · {text.keywords}: {tool.keywords.join(", ")}
      </p>
    </article>
  );
}
