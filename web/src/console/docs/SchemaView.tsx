// A JSON Schema to read: fields with type and meaning, inner objects behind a click. References are followed when they
// are opened, so that a type that holds itself has an end.
import { useState } from "react";

import { type Schema, see } from "../schema/schema";
import { branchName, schemaName, shortJson } from "../schema/words";
import { Prose } from "../Prose";
import { useConsoleText } from "../texts";
import styles from "./docs.module.css";

interface Props {
  schema: unknown;
  root: unknown;
}

export function SchemaView({ schema, root }: Props) {
  const text = useConsoleText();
  const { kind, schema: it } = see(schema, root);
  return (
    <div className={styles.schema}>
      {kind !== "object" && <p className={styles.schemaType}>{schemaName(schema, root, text.form)}</p>}
      {kind !== "object" && it.description !== undefined && <p>{it.description}</p>}
      <Inside schema={schema} root={root} />
    </div>
  );
}

/** Whether there is anything to open. */
function hasInside(schema: unknown, root: unknown): boolean {
  const { kind, schema: it, branches } = see(schema, root);
  if (kind === "object") return Object.keys(it.properties ?? {}).length > 0;
  if (kind === "list") return it.items !== undefined && hasInside(it.items, root);
  if (kind === "map") return typeof it.additionalProperties === "object" && hasInside(it.additionalProperties, root);
  return kind === "choice" && branches.some((branch) => hasInside(branch, root));
}

function Inside({ schema, root }: Props) {
  const text = useConsoleText().form;
  const { kind, schema: it, branches } = see(schema, root);
  switch (kind) {
    case "object":
      return <Fields schema={it} root={root} />;
    case "list":
      return <Inside schema={it.items} root={root} />;
    case "map":
      return <Inside schema={it.additionalProperties} root={root} />;
    case "choice":
      return branches
        .filter((branch) => hasInside(branch, root))
        .map((branch, index) => <Opened key={index} label={branchName(branch, root, text)} schema={branch} root={root} />);
    default:
      return null;
  }
}

function Fields({ schema, root }: { schema: Schema; root: unknown }) {
  const text = useConsoleText();
  const required = new Set(schema.required);
  return (
    <ul className={styles.schemaFields}>
      {Object.entries(schema.properties ?? {}).map(([name, property]) => {
        const { schema: it } = see(property, root);
        return (
          <li key={name}>
            <code className={styles.fieldName}>{name}</code>{" "}
            <span className={styles.schemaType}>{schemaName(property, root, text.form)}</span>
            {required.has(name) && <span className={styles.required}> {text.docs.required}</span>}
            {it.default !== undefined && (
              <span className={styles.schemaType}> {text.form.byDefault(shortJson(it.default))}</span>
            )}
            {it.description !== undefined && (
              <div className={styles.fieldAbout}>
                <Prose>{it.description}</Prose>
              </div>
            )}
            {hasInside(property, root) && <Opened label={text.docs.fieldsOf(name)} schema={property} root={root} />}
          </li>
        );
      })}
    </ul>
  );
}

function Opened({ label, schema, root }: Props & { label: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {open && <Inside schema={schema} root={root} />}
    </details>
  );
}
