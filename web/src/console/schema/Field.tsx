// One field with its name, its meaning, its control, and what is wrong with it.
import { CloseOutlined } from "@ant-design/icons";
import { Button, Tag } from "antd";

import type { Json } from "../../api/types";
import { Prose } from "../Prose";
import { useConsoleText } from "../texts";
import { fieldId, useForm } from "./context";
import { Control } from "./Control";
import styles from "./form.module.css";
import { see } from "./schema";
import type { Path } from "./validate";
import { faultText, schemaName, shortJson } from "./words";

export interface FieldProps {
  name: string;
  schema: unknown;
  value: Json | undefined;
  path: Path;
  required: boolean;
  onChange: (value: Json | undefined) => void;
}

export function Field({ name, schema, value, path, required, onChange }: FieldProps) {
  const text = useConsoleText().form;
  const form = useForm();
  const seen = see(schema, form.root);
  const id = fieldId(form, path);
  const issues = form.issuesAt(path);
  const { description, default: usual } = seen.schema;
  const change = (next: Json | undefined) => {
    form.touch(path);
    // A field that must be there but may be null is null when it is emptied.
    onChange(next === undefined && required && seen.nullable ? null : next);
  };
  const group = ["object", "map", "list", "choice"].includes(seen.kind);
  const label = (
    <>
      <code className={styles.name}>{name}</code>
      <span className={styles.type}>{schemaName(schema, form.root, text)}</span>
    </>
  );
  return (
    <div
      className={styles.field}
      role={group ? "group" : undefined}
      aria-labelledby={group ? `${id}-name` : undefined}
      aria-describedby={group && description !== undefined ? `${id}-about` : undefined}
    >
      <div className={styles.head}>
        {group ? (
          <span id={`${id}-name`} className={styles.label}>
            {label}
          </span>
        ) : (
          <label htmlFor={id} className={styles.label}>
            {label}
          </label>
        )}
        {required && <span className={styles.required}>{text.required}</span>}
        {value === null && <Tag>{text.setNull}</Tag>}
        {value !== undefined && (!required || seen.nullable) && value !== (required ? null : undefined) && (
          <Button
            type="text"
            size="small"
            icon={<CloseOutlined />}
            disabled={form.disabled}
            aria-label={text.clear(name)}
            title={text.clear(name)}
            onClick={() => change(undefined)}
          />
        )}
      </div>
      {description !== undefined && (
        <p id={`${id}-about`} className={styles.about}>
          <Prose>{description}</Prose>
        </p>
      )}
      <Control
        id={id}
        name={name}
        seen={seen}
        value={value}
        path={path}
        usual={usual}
        required={required}
        invalid={issues.length > 0}
        describedBy={[description !== undefined && `${id}-about`, issues.length > 0 && `${id}-wrong`].filter(Boolean).join(" ") || undefined}
        onChange={change}
        onTouch={() => form.touch(path)}
      />
      {usual !== undefined && value === undefined && <p className={styles.usual}>{text.byDefault(shortJson(usual))}</p>}
      {issues.length > 0 && (
        <p id={`${id}-wrong`} className={styles.wrong} role="alert">
          {issues.map((issue) => faultText(issue, text)).join(" ")}
        </p>
      )}
    </div>
  );
}
