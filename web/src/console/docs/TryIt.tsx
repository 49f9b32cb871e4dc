// Sends one request from the page, with its cookie, and shows what came back.
import { Alert, Button, Input } from "antd";
import { useEffect, useId, useRef, useState } from "react";

import type { Json } from "../../api/types";
import { CopyButton } from "../../conversation/CopyButton";
import { bytesText } from "../../text/bytes";
import callStyles from "../call/call.module.css";
import { asCurl } from "../call/copyAs";
import { type ConsoleTexts, useConsoleText } from "../texts";
import styles from "./docs.module.css";
import { addressOf, firstBody, type Operation } from "./openapi";
import { type Received, send } from "./send";

export function TryIt({ operation, root }: { operation: Operation; root: unknown }) {
  const texts = useConsoleText();
  const text = texts.docs;
  const id = useId();
  const json = operation.body.find((content) => content.type.includes("json"));
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(() => (json === undefined ? "" : JSON.stringify(firstBody(json, root), null, 2)));
  const [received, setReceived] = useState<Received | null>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const parameters = operation.parameters.filter((one) => one.in === "path" || one.in === "query");
  const parsed = json === undefined ? null : readBody(body);

  const go = async () => {
    const missing = parameters.find((one) => one.required && (values[one.name] ?? "") === "");
    const wrong = missing !== undefined ? text.missing(missing.name) : parsed !== null && "problem" in parsed ? text.notJson(parsed.problem) : "";
    setProblem(wrong);
    if (wrong !== "") return;
    const mine = new AbortController();
    controller.current = mine;
    setBusy(true);
    setReceived(null);
    try {
      const request = { method: operation.method, url: addressOf(operation, values) };
      await send(json === undefined ? request : { ...request, body }, mine.signal, setReceived);
    } catch {
      setProblem(mine.signal.aborted ? text.stopped : text.failed);
    }
    setBusy(false);
  };

  const curl = () =>
    asCurl({
      method: operation.method,
      url: window.location.origin + addressOf(operation, values),
      ...(parsed !== null && "value" in parsed ? { body: parsed.value } : {}),
    });

  return (
    <form
      className={styles.try}
      aria-label={`${text.tryIt}: ${operation.method} ${operation.path}`}
      onSubmit={(event) => {
        event.preventDefault();
        void go();
      }}
    >
      <strong>{text.tryIt}</strong>
      {parameters.map((one) => (
        <div key={`${one.in} ${one.name}`} className={styles.tryField}>
          <label htmlFor={`${id}-${one.name}`}>
            {one.name}
            {one.required && <span className={styles.required}> {text.required}</span>}
          </label>
          <Input
            id={`${id}-${one.name}`}
            size="small"
            value={values[one.name] ?? ""}
            autoComplete="off"
            onChange={(event) => setValues({ ...values, [one.name]: event.target.value })}
          />
        </div>
      ))}
      {json !== undefined && (
        <>
          <label htmlFor={`${id}-body`}>{text.bodyJson}</label>
          <Input.TextArea
            id={`${id}-body`}
            value={body}
            className={callStyles.mono ?? ""}
            autoSize={{ minRows: 3, maxRows: 16 }}
            spellCheck={false}
            onChange={(event) => setBody(event.target.value)}
          />
        </>
      )}
      {operation.method !== "GET" && <span className={callStyles.quiet}>{text.changes}</span>}
      <div className={callStyles.buttons}>
        <Button type="primary" size="small" htmlType="submit" disabled={busy}>
          {busy ? text.sending : text.send}
        </Button>
        {busy && (
          <Button size="small" onClick={() => controller.current?.abort()}>
            {text.stop}
          </Button>
        )}
        <CopyButton named label={texts.call.copyCurl} text={curl} />
      </div>
      {problem !== "" && <Alert type="warning" title={problem} />}
      {received !== null && <AnswerView received={received} text={text} />}
    </form>
  );
}

function AnswerView({ received, text }: { received: Received; text: ConsoleTexts["docs"] }) {
  const ok = received.status < 400;
  return (
    <div role="status">
      <p className={callStyles.quiet}>
        <strong className={ok ? callStyles.good : callStyles.bad}>
          {received.status} {received.statusText}
        </strong>{" "}
        {received.type} · {bytesText(received.bytes)}
      </p>
      {received.end === "binary" ? (
        <p>{text.binary(received.type, bytesText(received.bytes))}</p>
      ) : (
        <pre className={callStyles.pre} tabIndex={0} aria-label={text.answer}>
          {received.text === "" ? text.empty : received.text}
        </pre>
      )}
      {received.end === "cut" && <p className={callStyles.quiet}>{text.cut}</p>}
      {received.end === "stopped" && <p className={callStyles.quiet}>{text.stopped}</p>}
    </div>
  );
}

function readBody(text: string): { value: Json } | { problem: string } {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
