// A failure with what to do about it.
import { Alert, Button } from "antd";

import { useText } from "../i18n";
import { href } from "../router";
import type { Failure } from "./failure";

interface Props {
  failure: Failure;
  onRetry?: (() => void) | undefined;
  onCompact?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
}

export function FailureCard({ failure, onRetry, onCompact, onClose }: Props) {
  const words = useText().conversation.failure;
  const { remedy, message } = failure;
  return (
    <Alert
      type={remedy === "busy" ? "info" : "warning"}
      showIcon
      role="alert"
      title={words.title[remedy]}
      description={
        <>
          {message !== "" && <p style={{ margin: "0 0 8px", overflowWrap: "anywhere" }}>{message}</p>}
          <div style={{ display: "flex", flexWrap: "wrap", gap: 8 }}>
            {remedy === "model" && (
              <Button size="small" type="primary" href={href({ name: "setup" })}>
                {words.setUp}
              </Button>
            )}
            {(remedy === "settings" || remedy === "model" || remedy === "credit") && (
              <Button size="small" type={remedy === "model" ? "default" : "primary"} href={href({ name: "settings", section: "models" })}>
                {words.toSettings}
              </Button>
            )}
            {remedy === "compact" && onCompact && (
              <Button size="small" type="primary" onClick={onCompact}>
                {words.compact}
              </Button>
            )}
            {onRetry && (
              <Button size="small" onClick={onRetry}>
                {words.retry}
              </Button>
            )}
          </div>
        </>
      }
      {...(onClose === undefined ? {} : { closable: { onClose } })}
    />
  );
}
