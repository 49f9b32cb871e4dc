// A no: with a reason that the model reads, and remembered where that is wanted.
import { Button, Checkbox, Input, type InputRef } from "antd";
import { type ReactNode, useEffect, useRef } from "react";

import { useText } from "../../i18n";
import { isComposing } from "../../text/composing";
import { useKept } from "../../text/kept";
import styles from "./approval.module.css";

interface Props {
  /** The question. */
  id: string;
  busy: boolean;
  /** What the button says, if not “Deny”. */
  label?: string;
  /** It was opened just now, and not only drawn again. */
  focused: boolean;
  onDeny: (reason: string | null, remember: boolean) => void;
  onBack: () => void;
  /** What to remember, where it may be. */
  children?: ReactNode;
}

export function Deny({ id, busy, label, focused, onDeny, onBack, children }: Props) {
  const words = useText().conversation.approval;
  const [reason, setReason] = useKept(id, "reason", "");
  const [keep, setKeep] = useKept(id, "rememberNo", false);
  const input = useRef<InputRef>(null);
  useEffect(() => {
    if (focused) input.current?.focus();
  }, [focused]);
  const deny = () => onDeny(reason.trim() === "" ? null : reason.trim(), keep);
  return (
    <div className={styles.deny}>
      <Input
        ref={input}
        aria-label={words.reason}
        placeholder={words.reasonPlaceholder}
        value={reason}
        maxLength={2000}
        onChange={(event) => setReason(event.target.value)}
        onPressEnter={(event) => {
          if (!isComposing(event)) deny();
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape" && !isComposing(event)) onBack();
        }}
      />
      {Boolean(children) && (
        <Checkbox checked={keep} onChange={(event) => setKeep(event.target.checked)}>
          {words.rememberNo}
        </Checkbox>
      )}
      {keep && children}
      <div className={styles.buttons}>
        <Button type="primary" danger loading={busy} onClick={deny}>
          {label ?? words.denyNow}
        </Button>
        <Button onClick={onBack}>{words.back}</Button>
      </div>
    </div>
  );
}
