// A form for any JSON Schema. It holds nothing of its own: the value goes in, the changed value comes out.
import { useCallback, useId, useMemo, useState } from "react";

import { FormContext } from "./context";
import { FieldsOf } from "./FieldsOf";
import { type Fields, see } from "./schema";
import { type Issue, type Path, pathText } from "./validate";

interface Props {
  schema: unknown;
  value: Fields;
  onChange: (value: Fields) => void;
  issues: Issue[];
  /** Show what is wrong in fields that nobody has touched, too. */
  showAll: boolean;
  disabled?: boolean;
}

export function SchemaForm({ schema, value, onChange, issues, showAll, disabled = false }: Props) {
  const id = useId();
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const touch = useCallback((path: Path) => {
    const name = pathText(path);
    setTouched((before) => (before.has(name) ? before : new Set([...before, name])));
  }, []);
  const state = useMemo(() => {
    const issuesAt = (path: Path) => {
      const name = pathText(path);
      return showAll || touched.has(name) ? issues.filter((issue) => pathText(issue.path) === name) : [];
    };
    return { root: schema, id, disabled, issuesAt, touch };
  }, [schema, id, disabled, issues, showAll, touched, touch]);
  const { schema: seen } = see(schema, schema);
  return (
    <FormContext value={state}>
      <FieldsOf schema={seen} value={value} path={[]} onChange={onChange} />
    </FormContext>
  );
}
