// The control that fits the value of a setting.
import { Button, Input, InputNumber, Select, Switch } from "antd";
import { useState } from "react";

import type { Json, Setting } from "../api/types";
import { useText } from "../i18n";
import styles from "./settings.module.css";

/** Settings whose value is one of a few words. */
const CHOICES: Record<string, readonly string[]> = {
  mode: ["ask", "auto", "read-only", "unattended"],
  language: ["auto", "en", "zh"],
  "sandbox.kind": ["auto", "namespaces", "landlock"],
};

interface Props {
  setting: Setting;
  describedBy: string;
  disabled: boolean;
  saving: boolean;
  onSave: (value: Json) => void;
}

export function SettingControl(props: Props) {
  const { setting, disabled, saving, onSave } = props;
  const text = useText().settings;
  const labels = { "aria-label": setting.key, "aria-describedby": props.describedBy };
  const { value } = setting;
  const choices = CHOICES[setting.key];
  if (choices !== undefined) {
    return (
      <Select
        {...labels}
        className={styles.wide}
        value={typeof value === "string" ? value : null}
        disabled={disabled}
        loading={saving}
        popupMatchSelectWidth={false}
        options={choices.map((choice) => ({
          value: choice,
          label: setting.key === "mode" ? (text.options[choice] ?? choice) : choice,
        }))}
        onChange={onSave}
      />
    );
  }
  if (typeof value === "boolean" || typeof setting.default === "boolean") {
    return <Switch {...labels} checked={value === true} disabled={disabled} loading={saving} onChange={onSave} />;
  }
  if (typeof value === "number" || typeof setting.default === "number") return <NumberControl {...props} />;
  if (Array.isArray(value) || Array.isArray(setting.default)) return <ListControl {...props} />;
  if (typeof value === "object" && value !== null) return <JsonControl {...props} />;
  return <TextControl {...props} />;
}

function NumberControl({ setting, describedBy, disabled, onSave }: Props) {
  const [draft, setDraft] = useState(typeof setting.value === "number" ? setting.value : null);
  const save = () => {
    if (draft !== null && draft !== setting.value) onSave(draft);
  };
  return (
    <InputNumber
      aria-label={setting.key}
      aria-describedby={describedBy}
      className={styles.number}
      value={draft}
      disabled={disabled}
      onChange={setDraft}
      onBlur={save}
      onPressEnter={save}
    />
  );
}

function TextControl({ setting, describedBy, disabled, onSave }: Props) {
  const text = useText().settings;
  const [draft, setDraft] = useState(typeof setting.value === "string" ? setting.value : "");
  const save = () => {
    if (draft !== (setting.value ?? "")) onSave(draft === "" ? null : draft);
  };
  return (
    <Input
      aria-label={setting.key}
      aria-describedby={describedBy}
      className={styles.wide}
      value={draft}
      placeholder={text.none}
      disabled={disabled}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={save}
      onPressEnter={save}
    />
  );
}

function ListControl({ setting, describedBy, disabled, saving, onSave }: Props) {
  const text = useText().settings;
  const before = Array.isArray(setting.value) ? setting.value.map(String).join("\n") : "";
  const [draft, setDraft] = useState(before);
  const lines = draft.split("\n").map((line) => line.trim());
  return (
    <div className={styles.wide}>
      <Input.TextArea
        aria-label={setting.key}
        aria-describedby={describedBy}
        autoSize={{ minRows: 1, maxRows: 8 }}
        className={styles.mono}
        value={draft}
        placeholder={text.listHint}
        disabled={disabled}
        onChange={(event) => setDraft(event.target.value)}
      />
      {draft !== before && (
        <Button size="small" type="primary" loading={saving} onClick={() => onSave(lines.filter((line) => line !== ""))}>
          {text.save}
        </Button>
      )}
    </div>
  );
}

function JsonControl({ setting, describedBy, disabled, saving, onSave }: Props) {
  const text = useText().settings;
  const before = JSON.stringify(setting.value, null, 2);
  const [draft, setDraft] = useState(before);
  const parsed = parse(draft);
  return (
    <div className={styles.wide}>
      <Input.TextArea
        aria-label={setting.key}
        aria-describedby={describedBy}
        autoSize={{ minRows: 2, maxRows: 12 }}
        className={styles.mono}
        status={parsed === undefined ? "error" : ""}
        value={draft}
        disabled={disabled}
        onChange={(event) => setDraft(event.target.value)}
      />
      {parsed === undefined && <p className={styles.bad}>{text.jsonBad}</p>}
      {draft !== before && parsed !== undefined && (
        <Button size="small" type="primary" loading={saving} onClick={() => onSave(parsed)}>
          {text.save}
        </Button>
      )}
    </div>
  );
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
