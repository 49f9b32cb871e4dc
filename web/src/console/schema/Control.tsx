// The control for a kind of value.
import { Input, InputNumber, Select, Switch } from "antd";

import type { Json } from "../../api/types";
import { useConsoleText } from "../texts";
import { useForm } from "./context";
import { FieldsOf } from "./FieldsOf";
import styles from "./form.module.css";
import { ChoiceControl, ListControl, MapControl } from "./GroupControls";
import { JsonControl } from "./JsonControl";
import { isFields, type Seen } from "./schema";
import type { Path } from "./validate";
import { shortJson } from "./words";

export interface ControlProps {
  id: string;
  name: string;
  seen: Seen;
  value: Json | undefined;
  path: Path;
  usual: Json | undefined;
  required: boolean;
  invalid: boolean;
  describedBy: string | undefined;
  /** Where no label of its own stands beside it. */
  label?: string;
  onChange: (value: Json | undefined) => void;
  onTouch: () => void;
}

/** Arguments that are mostly longer than a line. */
const LONG = /^(content|text|old_text|new_text|command|script|body|message|prompt|patch|input|code|note)$/;

export function Control(props: ControlProps) {
  const { id, seen, value, usual, onChange, onTouch } = props;
  const text = useConsoleText().form;
  const { disabled } = useForm();
  const shared = {
    id,
    disabled,
    "aria-invalid": props.invalid,
    ...(props.label === undefined ? {} : { "aria-label": props.label }),
    ...(props.describedBy === undefined ? {} : { "aria-describedby": props.describedBy }),
    ...(props.invalid ? { status: "error" as const } : {}),
  };
  const absent = value === undefined || value === null;
  switch (seen.kind) {
    case "text":
      if (absent || typeof value === "string") return <TextControl {...props} shared={shared} text={value ?? ""} />;
      break;
    case "number":
    case "integer":
      if (absent || typeof value === "number") {
        return (
          <InputNumber
            {...shared}
            className={styles.number ?? ""}
            value={value ?? null}
            {...(typeof usual === "number" ? { placeholder: String(usual) } : {})}
            step={seen.schema.multipleOf ?? 1}
            onChange={(next) => onChange(next ?? undefined)}
            onBlur={onTouch}
          />
        );
      }
      break;
    case "boolean":
      if (absent || typeof value === "boolean") {
        const on = value ?? usual === true;
        return (
          <span className={styles.switch}>
            <Switch
              id={id}
              checked={on}
              disabled={disabled}
              aria-describedby={props.describedBy}
              aria-label={props.label}
              onChange={(next) => onChange(next)}
            />
            <span className={absent ? styles.faint : undefined}>{on ? text.yes : text.no}</span>
          </span>
        );
      }
      break;
    case "options": {
      const at = seen.options.findIndex((option) => option.value === value);
      return (
        <Select<number>
          {...shared}
          className={styles.select ?? ""}
          showSearch={seen.options.length > 8 ? { optionFilterProp: "label" } : false}
          placeholder={usual === undefined ? text.unset : shortJson(usual)}
          {...(at >= 0 ? { value: at } : {})}
          options={seen.options.map((option, index) => ({
            value: index,
            label: shortJson(option.value),
            title: option.description ?? "",
          }))}
          onChange={(index) => onChange(seen.options[index]?.value)}
          onBlur={onTouch}
        />
      );
    }
    case "object":
      if (absent || isFields(value)) {
        return (
          <div className={styles.inside}>
            <FieldsOf schema={seen.schema} value={value ?? {}} path={props.path} onChange={onChange} />
          </div>
        );
      }
      break;
    case "map":
      if (absent || isFields(value)) return <MapControl {...props} fields={value ?? {}} />;
      break;
    case "list":
      if (absent || Array.isArray(value)) return <ListControl {...props} items={value ?? []} />;
      break;
    case "choice":
      return <ChoiceControl {...props} />;
    case "null":
    case "any":
      break;
  }
  // Anything else, and a value that does not fit its field, is edited as it is.
  return <JsonControl id={id} label={props.label} value={value} disabled={disabled} onChange={onChange} onTouch={onTouch} />;
}

interface Shared {
  id: string;
  disabled: boolean;
  status?: "error";
}

function TextControl({ name, seen, text, usual, required, onChange, onTouch, shared }: ControlProps & { text: string; shared: Shared }) {
  const isLong = LONG.test(name) || text.includes("\n") || seen.schema.format === "textarea";
  const change = (next: string) => {
    // A short text that is emptied is left out where it may be; a long one may well be meant to be empty.
    onChange(next === "" && !required && !isLong ? undefined : next);
  };
  const common = {
    ...shared,
    value: text,
    placeholder: typeof usual === "string" ? usual : "",
    autoComplete: "off",
    spellCheck: false,
    className: styles.mono ?? "",
    onBlur: onTouch,
    onChange: (event: { target: { value: string } }) => change(event.target.value),
  };
  return isLong ? <Input.TextArea {...common} autoSize={{ minRows: 2, maxRows: 16 }} /> : <Input {...common} />;
}
