// An ordinary failure, in words: what went wrong, what to do, and a button to try again.
import { Alert, Button } from "antd";

import { ApiError } from "../api/client";
import { CallFailed } from "../api/execute";
import { type Texts, useText } from "../i18n";

export interface Said {
  message: string;
  hint: string | null;
}

/** What a failure is called in the person's language, where we know it. */
export function sayError(error: unknown, text: Texts): Said {
  if (error instanceof CallFailed) return { message: error.message, hint: error.hint };
  if (!(error instanceof ApiError)) {
    return { message: error instanceof Error ? error.message : String(error), hint: null };
  }
  switch (error.code) {
    case "server_gone":
      return { message: text.errors.server_gone, hint: text.errors.server_goneHint };
    case "timeout":
      return { message: text.errors.timeout, hint: null };
    case "rate_limited":
      return {
        message: text.errors.rate_limited,
        hint: error.retryAfter === null ? error.hint : text.errors.waitSeconds(error.retryAfter),
      };
    default:
      return { message: error.message, hint: error.hint };
  }
}

/** The same in one line, where there is no room for more. */
export function sayInOneLine(error: unknown, text: Texts): string {
  const { message, hint } = sayError(error, text);
  return hint === null ? message : `${message} ${hint}`;
}

export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const text = useText();
  const { message, hint } = sayError(error, text);
  return (
    <Alert
      type="warning"
      showIcon
      title={message}
      description={hint ?? undefined}
      action={
        onRetry && (
          <Button size="small" onClick={onRetry}>
            {text.errors.retry}
          </Button>
        )
      }
    />
  );
}
