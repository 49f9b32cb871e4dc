// What a test of a model came to, in words that say what to do.
import { Alert, Spin } from "antd";

import type { ModelTest } from "../../api/types";
import { type Texts, useText } from "../../i18n";
import { sayError } from "../../shell/Problem";
import styles from "../settings.module.css";

type Refusal = keyof Texts["settings"]["refused"];

function refusalOf(name: string, known: Texts["settings"]["refused"]): Refusal {
  return name in known ? (name as Refusal) : "other";
}

interface Props {
  pending: boolean;
  result: ModelTest | undefined;
  error: unknown;
}

export function TestResult({ pending, result, error }: Props) {
  const text = useText();
  const words = text.settings;
  return (
    <div role="status" className={styles.test}>
      {pending && (
        <span className={styles.testing}>
          <Spin size="small" /> {words.testing}
        </span>
      )}
      {!pending && result?.ok === true && (
        <Alert type="success" showIcon title={words.works(String(Math.round(result.latency_ms)))} />
      )}
      {!pending && result?.error !== undefined && <Refused error={result.error} />}
      {!pending && error !== null && error !== undefined && (
        <Alert type="warning" showIcon title={sayError(error, text).message} description={sayError(error, text).hint} />
      )}
    </div>
  );
}

function Refused({ error }: { error: NonNullable<ModelTest["error"]> }) {
  const words = useText().settings;
  const refusal = refusalOf(error.class, words.refused);
  return (
    <Alert
      type="warning"
      showIcon
      title={words.refused[refusal]}
      description={
        <>
          <p>{words.refusedHint[refusal]}</p>
          <p className={styles.said}>
            {words.providerSaid} {error.message}
          </p>
        </>
      }
    />
  );
}
