// The fields of one object: those the schema names, then what else the value has.
import { useConsoleText } from "../texts";
import { Field } from "./Field";
import styles from "./form.module.css";
import { type Fields, type Schema } from "./schema";
import type { Path } from "./validate";
import { extraFields, fieldOrder, withField } from "./values";

interface Props {
  schema: Schema;
  value: Fields;
  path: Path;
  onChange: (value: Fields) => void;
}

export function FieldsOf({ schema, value, path, onChange }: Props) {
  const text = useConsoleText().form;
  const required = new Set(schema.required);
  const extra = extraFields(schema, value);
  return (
    <div className={styles.fields}>
      {fieldOrder(schema).map((name) => (
        <Field
          key={name}
          name={name}
          schema={schema.properties?.[name]}
          value={value[name]}
          path={[...path, name]}
          required={required.has(name)}
          onChange={(inside) => onChange(withField(value, name, inside))}
        />
      ))}
      {extra.length > 0 && (
        <div className={styles.extra}>
          <span>{text.extra}</span>
          {extra.map((name) => (
            <Field
              key={name}
              name={name}
              schema={{}}
              value={value[name]}
              path={[...path, name]}
              required={false}
              onChange={(inside) => onChange(withField(value, name, inside))}
            />
          ))}
        </div>
      )}
    </div>
  );
}
