// Any value, as JSON. What is typed is kept as it is until it can be read.
import { Input } from "antd";
import { useState } from "react";

import type { Json } from "../../api/types";
import { useConsoleText } from "../texts";
import styles from "./form.module.css";

interface Props {
  id: string;
  label: string | undefined;
  value: Json | undefined;
  disabled: boolean;
  onChange: (value: Json | undefined) => void;
  onTouch: () => void;
}

export function JsonControl({ id, label, value, disabled, onChange, onTouch }: Props) {
  const text = useConsoleText().form;
  const [typed, setTyped] = useState<{ text: string; problem: string } | null>(null);
  const change = (next: string) => {
    if (next.trim() === "") {
      setTyped(null);
      onChange(undefined);
      return;
    }
    try {
      onChange(JSON.parse(next) as Json);
      setTyped({ text: next, problem: "" });
    } catch (error) {
      setTyped({ text: next, problem: error instanceof Error ? error.message : String(error) });
    }
  };
  const problem = typed?.problem ?? "";
  return (
    <>
      <Input.TextArea
        id={id}
        aria-label={label}
        className={styles.mono ?? ""}
        value={typed?.text ?? (value === undefined ? "" : JSON.stringify(value, null, 2))}
        autoSize={{ minRows: 1, maxRows: 12 }}
        spellCheck={false}
        disabled={disabled}
        placeholder="JSON"
        {...(problem === "" ? {} : { status: "error" as const })}
        onChange={(event) => change(event.target.value)}
        onBlur={() => {
          if (problem === "") setTyped(null);
          onTouch();
        }}
      />
      {problem !== "" && (
        <p className={styles.wrong} role="alert">
          {text.notJson(problem)}
        </p>
      )}
    </>
  );
}
