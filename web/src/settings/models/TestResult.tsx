// What a test of a model came to, in words that say what to do.
import { Alert, Spin } from "antd";
import type { ReactNode } from "react";

import type { ModelTest, Provider } from "../../api/types";
import { useText } from "../../i18n";
import { sayError } from "../../shell/Problem";
import styles from "../settings.module.css";
import { ModelProblem } from "./ModelProblem";

interface Props {
  pending: boolean;
  result: ModelTest | undefined;
  error: unknown;
  provider: Provider | undefined;
  address: string | null;
  /** As the provider names it. */
  model: string;
  /** What can be done in spite of a problem. */
  children?: ReactNode;
}

export function TestResult({ pending, result, error, provider, address, model, children }: Props) {
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
      {!pending && result?.error !== undefined && (
        <ModelProblem error={result.error} provider={provider} address={address} model={model}>
          {children}
        </ModelProblem>
      )}
      {!pending && error !== null && error !== undefined && (
        <Alert type="warning" showIcon title={sayError(error, text).message} description={sayError(error, text).hint} />
      )}
    </div>
  );
}
