// One server: how it is, what can be done with it, and on demand its tools and its log.
import { App, Button, Tag } from "antd";
import { useState } from "react";

import type { McpServer, ServerStatus } from "../../api/types";
import { useText } from "../../i18n";
import { sayInOneLine } from "../../shell/Problem";
import { visible } from "../../text/visible";
import shared from "../settings.module.css";
import { LinkView } from "./LinkView";
import { ServerLog } from "./ServerLog";
import styles from "./servers.module.css";
import { SignIn } from "./SignIn";
import { useServerText } from "./texts";
import { ToolRules } from "./ToolRules";
import { useServerActions } from "./useServers";

const COLOURS: Record<ServerStatus, string> = {
  starting: "processing",
  ready: "success",
  restarting: "warning",
  failed: "error",
  wants_sign_in: "warning",
  disabled: "default",
};

export function ServerRow({ server }: { server: McpServer }) {
  const text = useServerText();
  const [open, setOpen] = useState(false);
  const actions = useServerActions();
  const callable = server.tools.filter(({ hidden }) => !hidden);
  const name = visible(server.name);
  return (
    <li className={shared.item} aria-label={name}>
      <div className={shared.line}>
        <div className={shared.grow}>
          <strong>{name}</strong> <Tag color={COLOURS[server.status]}>{text.status[server.status]}</Tag>
          {server.tools.length > 0 && <span className={shared.faint}>{text.toolCount(callable.length)}</span>}
        </div>
        <Actions server={server} actions={actions} />
        <Button size="small" aria-expanded={open} aria-label={`${open ? text.hide : text.show}: ${name}`} onClick={() => setOpen(!open)}>
          {open ? text.hide : text.show}
        </Button>
      </div>
      {server.error !== null && server.status !== "wants_sign_in" && (
        <pre className={styles.error}>{visible([server.error, ...server.last_words].join("\n"))}</pre>
      )}
      {server.signs_in && <SignIn server={server} />}
      {open && (
        <div className={styles.details}>
          <LinkView link={server} />
          <p>
            {server.file === null ? text.takenOut : text.setUpIn(visible(server.file))}
            {server.file !== null && !server.editable && <> {text.notEditable}</>}
          </p>
          {server.notes.map((note) => (
            <p key={note}>{visible(note)}</p>
          ))}
          <ToolRules server={server} />
          {/* A server that is being removed has no log to ask for. */}
          {!actions.remove.isPending && <ServerLog name={server.name} />}
        </div>
      )}
    </li>
  );
}

interface ActionsProps {
  server: McpServer;
  actions: ReturnType<typeof useServerActions>;
}

function Actions({ server, actions }: ActionsProps) {
  const texts = useText();
  const text = useServerText();
  const { modal, message } = App.useApp();
  const { change, remove, restart } = actions;
  const name = visible(server.name);
  const onError = (error: unknown) => void message.error(sayInOneLine(error, texts));
  const askRemove = () => {
    modal.confirm({
      title: text.removeQuestion(name),
      content: text.removeText,
      okText: text.remove,
      cancelText: text.cancel,
      okButtonProps: { danger: true },
      onOk: () => remove.mutateAsync(server.name).catch(onError),
    });
  };
  return (
    <>
      {!server.disabled && (
        <Button size="small" aria-label={`${text.restart}: ${name}`} loading={restart.isPending} onClick={() => restart.mutate(server.name, { onError })}>
          {text.restart}
        </Button>
      )}
      {server.editable && (
        <>
          <Button
            size="small"
            aria-label={`${server.disabled ? text.enable : text.disable}: ${name}`}
            loading={change.isPending}
            onClick={() => change.mutate({ name: server.name, change: { disabled: !server.disabled } }, { onError })}
          >
            {server.disabled ? text.enable : text.disable}
          </Button>
          <Button size="small" danger type="text" aria-label={`${text.remove}: ${name}`} onClick={askRemove}>
            {text.remove}
          </Button>
        </>
      )}
    </>
  );
}
