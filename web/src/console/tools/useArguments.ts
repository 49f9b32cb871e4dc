// The arguments of a call on their way: in the form or as raw text, one and the same value.
import { useMemo, useState } from "react";

import type { Json, ToolInfo } from "../../api/types";
import { type Fields, isFields } from "../schema/schema";
import { type Issue, validate } from "../schema/validate";
import { readRaw, startOf, writeRaw } from "../schema/values";

export interface Arguments {
  value: Fields;
  /** The raw text while it is edited as such; `null` in the form. */
  raw: string | null;
  /** Why the raw text cannot be read; empty where it can. */
  problem: string;
  issues: Issue[];
  set: (value: Fields) => void;
  setRaw: (text: string) => void;
  /** To the form stays where it is while the text cannot be read. */
  show: (way: "form" | "raw") => void;
  fill: (example: Json) => void;
  reset: () => void;
}

export function useArguments(tool: ToolInfo): Arguments {
  const schema = tool.input_schema;
  const start = useMemo(() => {
    const first = startOf(schema, schema);
    return isFields(first) ? first : {};
  }, [schema]);
  const [value, setValue] = useState<Fields>(start);
  const [raw, setRawText] = useState<string | null>(null);
  const parsed = raw === null ? null : readRaw(raw);
  const problem = parsed !== null && "problem" in parsed ? parsed.problem : "";
  const issues = useMemo(() => validate(schema, value, schema), [schema, value]);
  const replace = (next: Fields) => {
    setValue(next);
    if (raw !== null) setRawText(writeRaw(next));
  };
  return {
    value,
    raw,
    problem,
    issues,
    set: setValue,
    setRaw: (text) => {
      setRawText(text);
      const read = readRaw(text);
      if ("value" in read) setValue(read.value);
    },
    show: (way) => {
      if (way === "raw") setRawText(writeRaw(value));
      else if (problem === "") setRawText(null);
    },
    fill: (example) => {
      if (isFields(example)) replace(example);
    },
    reset: () => replace(start),
  };
}
