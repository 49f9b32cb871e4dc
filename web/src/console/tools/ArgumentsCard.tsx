// The arguments of one call: as a form or as JSON, back and forth without loss.
import { Alert, Button, Input, Segmented } from "antd";

import type { ToolInfo } from "../../api/types";
import callStyles from "../call/call.module.css";
import styles from "../console.module.css";
import { isFields, see } from "../schema/schema";
import { SchemaForm } from "../schema/SchemaForm";
import { pathText } from "../schema/validate";
import { faultText } from "../schema/words";
import { useConsoleText } from "../texts";
import type { Arguments } from "./useArguments";

interface Props {
  tool: ToolInfo;
  input: Arguments;
  showAll: boolean;
  disabled: boolean;
}

export function ArgumentsCard({ tool, input, showAll, disabled }: Props) {
  const text = useConsoleText().form;
  const { schema } = see(tool.input_schema, tool.input_schema);
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0;
  const hasExample = isFields(tool.example) && Object.keys(tool.example).length > 0;
  return (
    <section className={callStyles.card} aria-label={text.title}>
      <div className={callStyles.cardHead}>
        <h2>{text.title}</h2>
        <Segmented<"form" | "raw">
          size="small"
          value={input.raw === null ? "form" : "raw"}
          aria-label={text.view}
          options={[
            { value: "form", label: text.form, disabled: input.problem !== "" },
            { value: "raw", label: text.raw },
          ]}
          onChange={input.show}
        />
        <div className={callStyles.end}>
          {hasExample && (
            <Button size="small" disabled={disabled} onClick={() => input.fill(tool.example)}>
              {text.example}
            </Button>
          )}
          <Button size="small" type="text" disabled={disabled} onClick={input.reset}>
            {text.reset}
          </Button>
        </div>
      </div>
      <div className={callStyles.cardBody}>
        {input.raw !== null ? (
          <div className={styles.raw}>
            <Input.TextArea
              value={input.raw}
              autoSize={{ minRows: 6, maxRows: 24 }}
              spellCheck={false}
              disabled={disabled}
              aria-label={text.raw}
              aria-invalid={input.problem !== ""}
              {...(input.problem === "" ? {} : { status: "error" as const })}
              onChange={(event) => input.setRaw(event.target.value)}
            />
          </div>
        ) : isEmpty && Object.keys(input.value).length === 0 ? (
          <p className={callStyles.quiet}>{text.noFields}</p>
        ) : (
          <SchemaForm
            schema={tool.input_schema}
            value={input.value}
            issues={input.issues}
            showAll={showAll}
            disabled={disabled}
            onChange={input.set}
          />
        )}
        <Wrong input={input} showAll={showAll} />
      </div>
    </section>
  );
}

/** All that is wrong, each with its path. */
function Wrong({ input, showAll }: { input: Arguments; showAll: boolean }) {
  const text = useConsoleText().form;
  if (input.problem !== "") {
    return <Alert type="error" title={input.problem === "{ … }" ? text.notFields : text.notJson(input.problem)} />;
  }
  if (input.issues.length === 0 || (!showAll && input.raw === null)) return null;
  return (
    <Alert
      type={showAll ? "error" : "warning"}
      title={text.fix(input.issues.length)}
      description={
        <ul className={styles.issues}>
          {input.issues.map((issue) => (
            <li key={`${pathText(issue.path)} ${issue.code}`}>
              <code>{pathText(issue.path)}</code> {faultText(issue, text)}
            </li>
          ))}
        </ul>
      }
    />
  );
}
