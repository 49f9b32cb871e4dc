// Where the person writes: text, files, the model, and the buttons of a turn that runs.
import { ArrowUpOutlined, CaretRightOutlined, PaperClipOutlined, PauseOutlined } from "@ant-design/icons";
import { Sender } from "@ant-design/x";
import { Button, Input, Tooltip } from "antd";
import { type ComponentProps, type ComponentRef, type ReactNode, type Ref, useImperativeHandle, useRef } from "react";

import { useAbout } from "../../api/queries";
import { useText } from "../../i18n";
import { isComposing } from "../../text/composing";
import type { TurnOrder } from "../actions";
import { AttachmentList } from "./AttachmentList";
import { ModelChoice } from "./ModelChoice";
import styles from "./sender.module.css";
import { useAttachments } from "./uploads";

const USUAL_LIMIT = 100 * 1024 * 1024;

export interface SenderHandle {
  focus: () => void;
}

interface Props {
  sessionId: string | undefined;
  text: string;
  onText: (text: string) => void;
  onSend: (text: string, uploads: readonly string[]) => void;
  onFiles: (files: readonly File[]) => void;
  onOrder: (order: TurnOrder) => void;
  sending: boolean;
  running: boolean;
  paused: boolean;
  model: string | null;
  onModel: (model: string) => void;
  /** Beside the model: the mode and the folder. */
  reach: ReactNode;
  ref?: Ref<SenderHandle>;
}

export function useUploadLimit(): number {
  return useAbout().data?.limits.upload_bytes ?? USUAL_LIMIT;
}

export function MessageSender({ ref, ...props }: Props) {
  const { sessionId, text, running, paused, sending, onOrder, onFiles } = props;
  const words = useText().conversation.sender;
  const attachments = useAttachments(sessionId);
  const limit = useUploadLimit();
  const input = useRef<ComponentRef<typeof Sender>>(null);
  const picker = useRef<HTMLInputElement>(null);
  useImperativeHandle(ref, () => ({ focus: () => input.current?.focus() }));

  const ready = attachments.flatMap((one) => (one.upload === null ? [] : [one.upload.id]));
  const underWay = attachments.some((one) => one.state === "sending" || one.state === "waiting");
  const maySend = !sending && !underWay && (text.trim() !== "" || ready.length > 0);
  const send = () => {
    if (maySend) props.onSend(text.trim(), ready);
  };
  return (
    <div className={styles.sender}>
      <Sender
        components={{ input: Labelled }}
        ref={input}
        value={text}
        onChange={(value) => props.onText(value)}
        // Enter that chooses a word while Chinese is typed sends nothing.
        onKeyDown={(event) => {
          // Out of the field, where the keys of a question count.
          if (event.key === "Escape" && !isComposing(event)) input.current?.blur();
          if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
          if (isComposing(event)) return false;
          event.preventDefault();
          send();
          return false;
        }}
        onPasteFile={(files) => onFiles([...files])}
        placeholder={running ? words.placeholderRunning : words.placeholder}
        autoSize={{ minRows: 1, maxRows: 10 }}
        suffix={false}
        header={sessionId !== undefined && attachments.length > 0 ? <AttachmentList sessionId={sessionId} attachments={attachments} limit={limit} /> : false}
        footer={
          <div className={styles.foot}>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-hidden
              tabIndex={-1}
              onChange={(event) => {
                onFiles([...(event.target.files ?? [])]);
                event.target.value = "";
              }}
            />
            <Tooltip title={words.attach}>
              <Button type="text" icon={<PaperClipOutlined />} aria-label={words.attach} onClick={() => picker.current?.click()} />
            </Tooltip>
            <ModelChoice value={props.model} onChange={props.onModel} />
            {props.reach}
            <span className="dh-space" />
            {running && (
              <Tooltip title={paused ? words.resume : words.pause}>
                <Button
                  type="text"
                  icon={paused ? <CaretRightOutlined /> : <PauseOutlined />}
                  aria-label={paused ? words.resume : words.pause}
                  onClick={() => onOrder(paused ? "resume" : "pause")}
                />
              </Tooltip>
            )}
            {running && (
              <Button danger shape="round" icon={<span className={styles.square} aria-hidden />} onClick={() => onOrder("cancel")}>
                {words.stop}
              </Button>
            )}
            {(!running || maySend) && (
              <Tooltip title={underWay ? words.waitForUploads : running ? words.queue : words.send}>
                <Button type="primary" shape="circle" icon={<ArrowUpOutlined />} aria-label={running ? words.queue : words.send} disabled={!maySend} loading={sending} onClick={send} />
              </Tooltip>
            )}
          </div>
        }
      />
      <p className={styles.under}>{words.keys}</p>
    </div>
  );
}

function Labelled(props: ComponentProps<typeof Input.TextArea>) {
  const words = useText().conversation.sender;
  return <Input.TextArea {...props} aria-label={words.label} />;
}
