// The start of a conversation: what Deskhand can do, a few ways to begin, and where to write.
import { CodeOutlined, FileSearchOutlined, PlayCircleOutlined, ThunderboltOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";
import { useEffect, useRef, useState } from "react";

import { keys } from "../api/keys";
import { useAbout, useModels } from "../api/queries";
import { useLanguage } from "../i18n";
import { href, navigate } from "../router";
import { Problem } from "../shell/Problem";
import { type Chosen, createSession, discardIfRefused, say, startDemo } from "./actions";
import styles from "./conversation.module.css";
import { sendFailure } from "./failure";
import { FailureCard } from "./FailureCard";
import { keepDraft, useDraft } from "./sender/draft";
import { DropZone } from "./sender/DropZone";
import { MessageSender, type SenderHandle, useUploadLimit } from "./sender/MessageSender";
import { Reach } from "./sender/Reach";
import { attach } from "./sender/uploads";

const ICONS = [<FileSearchOutlined key="0" />, <CodeOutlined key="1" />, <ThunderboltOutlined key="2" />];

export function Home() {
  const { texts, language } = useLanguage();
  const words = texts.conversation.home;
  const client = useQueryClient();
  const about = useAbout();
  const models = useModels();
  const limit = useUploadLimit();
  const [text, setText] = useDraft(undefined);
  const [chosen, setChosen] = useState<Chosen>({});
  const choose = (more: Chosen) => setChosen((before) => ({ ...before, ...more }));
  const [busy, setBusy] = useState<"send" | "demo" | null>(null);
  const [error, setError] = useState<unknown>(null);
  const sender = useRef<SenderHandle>(null);
  useEffect(() => sender.current?.focus(), []);
  const noModel = about.data?.model === null && models.data?.usual === null && models.data.models.length === 0;

  const begin = async (act: (id: string) => Promise<void>) => {
    const session = await createSession(chosen);
    await act(session.id);
    void client.invalidateQueries({ queryKey: keys.sessions });
    navigate({ name: "session", id: session.id });
  };
  const attempt = (what: "send" | "demo", act: () => Promise<void>) => {
    if (busy !== null) return;
    setBusy(what);
    setError(null);
    act()
      .catch(setError)
      .finally(() => setBusy(null));
  };
  const send = (content: string) =>
    attempt("send", () =>
      begin(async (id) => {
        try {
          await say(id, content, []);
        } catch (problem) {
          // Nothing began: the text stays here, and no empty conversation in the list.
          await discardIfRefused(id, problem);
          throw problem;
        }
        setText("");
      }),
    );
  const files = (list: readonly File[]) => {
    if (list.length === 0) return;
    attempt("send", () =>
      begin((id) => {
        attach(id, list, limit);
        keepDraft(id, text);
        setText("");
        return Promise.resolve();
      }),
    );
  };
  const demo = () =>
    attempt("demo", async () => {
      const { session_id: id } = await startDemo(language);
      void client.invalidateQueries({ queryKey: keys.sessions });
      navigate({ name: "session", id });
    });
  const failure = sendFailure(error);
  const retry = text.trim() === "" ? undefined : () => send(text.trim());
  return (
    <DropZone className={styles.view} onFiles={files}>
      <div className={styles.homeScroll}>
        <div className={styles.home}>
          <img src="/icon.svg" alt="" width={44} height={44} />
          <h1>{words.title}</h1>
          <p className={styles.lead}>{words.lead}</p>
          {noModel && (
            <section className={styles.noModel} aria-label={words.noModel}>
              <strong>{words.noModel}</strong>
              <p>{words.noModelHint}</p>
              <div className={styles.homeButtons}>
                <Button type="primary" href={href({ name: "setup" })}>
                  {words.setUp}
                </Button>
                <Button href={href({ name: "tools" })}>{words.console}</Button>
              </div>
            </section>
          )}
          <ul className={styles.prompts} aria-label={words.examples}>
            {words.prompts.map((prompt, index) => (
              <li key={index}>
                <button
                  type="button"
                  onClick={() => {
                    setText(prompt.text);
                    sender.current?.focus();
                  }}
                >
                  <span className={styles.promptIcon} aria-hidden>
                    {ICONS[index]}
                  </span>
                  <strong>{prompt.title}</strong>
                  <span>{prompt.text}</span>
                </button>
              </li>
            ))}
          </ul>
          <div className={styles.demoLine}>
            <Button icon={<PlayCircleOutlined />} loading={busy === "demo"} onClick={demo}>
              {words.demo}
            </Button>
            <span>{words.demoHint}</span>
          </div>
          {error !== null && (failure === null ? <Problem error={error} /> : <FailureCard failure={failure} onRetry={retry} />)}
        </div>
      </div>
      <MessageSender
        ref={sender}
        sessionId={undefined}
        text={text}
        onText={setText}
        onSend={send}
        onFiles={files}
        onOrder={() => undefined}
        sending={busy === "send"}
        running={false}
        paused={false}
        model={chosen.model ?? null}
        onModel={(model) => choose({ model })}
        reach={
          <Reach
            mode={chosen.mode ?? about.data?.mode}
            modes={about.data?.modes ?? []}
            onMode={(mode) => choose({ mode })}
            workspace={chosen.workspace ?? about.data?.workspaces[0]}
            onWorkspace={(workspace) => choose({ workspace })}
            running={false}
          />
        }
      />
    </DropZone>
  );
}
