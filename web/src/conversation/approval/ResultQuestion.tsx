// May the model see this? Exactly what it would see, to pass, to edit or to withhold.
import { Button, Input, type InputRef } from "antd";
import { useEffect, useRef, useState } from "react";

import { isByHand } from "../../api/conversations";
import type { ApprovalRequest, Image } from "../../api/types";
import { useText } from "../../i18n";
import { Problem } from "../../shell/Problem";
import { isComposing } from "../../text/composing";
import { useKept } from "../../text/kept";
import { visible } from "../../text/visible";
import { Key } from "./ApprovalCard";
import styles from "./approval.module.css";
import { SettledLine } from "./SettledLine";
import { UnseenWarning } from "./UnseenWarning";
import { useAnswer, wasAnsweredElsewhere } from "./useAnswer";
import { useShortcuts } from "./useShortcuts";

type Part = "choose" | "edit" | "withhold";

interface Props {
  request: ApprovalRequest;
  text: string;
  images: readonly Image[];
}

export function ResultQuestion({ request, text, images }: Props) {
  const words = useText().conversation.approval;
  const { exactly, pass } = isByHand(request.session_id) ? words.byHand : words;
  const { answer, busy, error, settled } = useAnswer(request.id);
  const [part, keepPart] = useKept<Part>(request.id, "part", "choose");
  const [edited, setEdited] = useKept(request.id, "edited", text);
  const [reason, setReason] = useKept(request.id, "reason", "");
  // A part that is only drawn again must not take the focus from where the person writes.
  const [opened, setOpened] = useState(false);
  const setPart = (next: Part) => {
    setOpened(true);
    keepPart(next);
  };
  const reasonInput = useRef<InputRef>(null);
  useEffect(() => {
    if (part === "withhold" && opened) reasonInput.current?.focus();
  }, [part, opened]);
  useShortcuts(
    request.id,
    part === "choose" ? { a: () => answer({ answer: "pass" }), d: () => setPart("withhold"), e: () => setPart("edit") } : {},
    settled === null && !busy,
  );
  if (settled !== null) return <SettledLine settled={settled} elsewhere={wasAnsweredElsewhere(request.id)} />;
  const withhold = () => answer({ answer: "withhold", reason: reason.trim() === "" ? null : reason.trim() });
  return (
    <>
      <p className={styles.hint}>{part === "edit" ? words.editResultHint : exactly(text.length)}</p>
      {part === "edit" ? (
        <Input.TextArea
          autoFocus={opened}
          className={styles.mono}
          aria-label={words.resultText}
          autoSize={{ minRows: 6, maxRows: 22 }}
          value={edited}
          onChange={(event) => setEdited(event.target.value)}
        />
      ) : (
        <pre className={styles.result} tabIndex={0} aria-label={words.resultText}>
          {visible(text)}
        </pre>
      )}
      {/* Other words in place of a result take its pictures with them. */}
      {part !== "edit" &&
        images.map((image, index) => (
          <img key={index} className={styles.picture} src={`data:${image.mime};base64,${image.base64}`} alt={words.picture(request.tool)} />
        ))}
      <UnseenWarning text={part === "edit" ? edited : text} />
      {error !== null && <Problem error={error} />}
      {part === "withhold" && (
        <Input
          ref={reasonInput}
          aria-label={words.reason}
          placeholder={words.withholdPlaceholder}
          value={reason}
          maxLength={2000}
          onChange={(event) => setReason(event.target.value)}
          onPressEnter={(event) => {
            if (!isComposing(event)) withhold();
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape" && !isComposing(event)) setPart("choose");
          }}
        />
      )}
      <div className={styles.buttons}>
        {part === "choose" && (
          <>
            <Button type="primary" loading={busy} onClick={() => answer({ answer: "pass" })} aria-keyshortcuts="a">
              {pass} <Key>A</Key>
            </Button>
            <Button onClick={() => setPart("edit")} aria-keyshortcuts="e">
              {words.editResult} <Key>E</Key>
            </Button>
            <Button danger onClick={() => setPart("withhold")} aria-keyshortcuts="d">
              {words.withhold} <Key>D</Key>
            </Button>
          </>
        )}
        {part === "edit" && (
          <Button type="primary" loading={busy} onClick={() => answer(edited === text ? { answer: "pass" } : { answer: "edit", text: edited })}>
            {words.passEdited}
          </Button>
        )}
        {part === "withhold" && (
          <Button type="primary" danger loading={busy} onClick={withhold}>
            {words.withholdNow}
          </Button>
        )}
        {part !== "choose" && (
          <Button
            onClick={() => {
              setEdited(text);
              setPart("choose");
            }}
          >
            {words.back}
          </Button>
        )}
      </div>
    </>
  );
}
