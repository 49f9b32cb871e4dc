// One server by hand: a program with its arguments, or a URL with its headers.
import { Button, Input, Segmented } from "antd";
import { type ReactNode, useId, useState } from "react";

import shared from "../settings.module.css";
import { linesOf, pairsOf } from "./lines";
import { useServerText } from "./texts";
import type { NewServers } from "./useServers";

interface Props {
  pending: boolean;
  onReview: (given: NewServers) => void;
  onCancel: () => void;
}

const EMPTY = { name: "", command: "", args: "", env: "", cwd: "", url: "", headers: "" };
type Fields = typeof EMPTY;

export function ServerForm({ pending, onReview, onCancel }: Props) {
  const text = useServerText();
  const id = useId();
  const [kind, setKind] = useState<"stdio" | "http">("stdio");
  const [fields, setFields] = useState<Fields>(EMPTY);
  const set = (name: keyof Fields) => (event: { target: { value: string } }) =>
    setFields({ ...fields, [name]: event.target.value });
  const env = pairsOf(fields.env, "=");
  const headers = pairsOf(fields.headers, ":");
  const wrong = kind === "stdio" ? env.wrong : headers.wrong;
  const ready = fields.name.trim() !== "" && (kind === "stdio" ? fields.command : fields.url).trim() !== "" && wrong === null;
  const entry = () =>
    kind === "stdio"
      ? {
          command: fields.command.trim(),
          args: linesOf(fields.args),
          ...(Object.keys(env.pairs).length > 0 ? { env: env.pairs } : {}),
          ...(fields.cwd.trim() !== "" ? { cwd: fields.cwd.trim() } : {}),
        }
      : { url: fields.url.trim(), ...(Object.keys(headers.pairs).length > 0 ? { headers: headers.pairs } : {}) };
  const line = (name: keyof Fields, label: string, hint?: ReactNode) => (
    <>
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <Input
        id={`${id}-${name}`}
        spellCheck={false}
        autoComplete="off"
        value={fields[name]}
        onChange={set(name)}
        placeholder={name === "name" ? text.namePlaceholder : undefined}
      />
      {hint}
    </>
  );
  const area = (name: keyof Fields, label: string) => (
    <>
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <Input.TextArea
        id={`${id}-${name}`}
        className={shared.mono}
        autoSize={{ minRows: 2, maxRows: 8 }}
        spellCheck={false}
        value={fields[name]}
        onChange={set(name)}
      />
    </>
  );
  return (
    <form
      className={shared.keyForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onReview({ name: fields.name.trim(), entry: entry() });
      }}
    >
      {line("name", text.name)}
      <Segmented
        aria-label={text.kind}
        value={kind}
        options={(["stdio", "http"] as const).map((value) => ({ value, label: text.kinds[value] }))}
        onChange={setKind}
      />
      {kind === "stdio" ? (
        <>
          {line("command", text.command, /\s/.test(fields.command.trim()) && <p className={shared.hint}>{text.commandHint}</p>)}
          {area("args", text.args)}
          {area("env", text.env)}
          {line("cwd", text.cwd)}
        </>
      ) : (
        <>
          {line("url", text.url)}
          {area("headers", text.headers)}
        </>
      )}
      <p className={shared.hint}>{text.secretHint}</p>
      <div role="status">
        {wrong !== null && (
          <p className={shared.bad}>{text.badLine(wrong, kind === "stdio" ? "NAME=VALUE" : "Name: value")}</p>
        )}
      </div>
      <div className={shared.line}>
        <Button type="primary" htmlType="submit" loading={pending} disabled={!ready}>
          {text.review}
        </Button>
        <Button onClick={onCancel}>{text.cancel}</Button>
      </div>
    </form>
  );
}
