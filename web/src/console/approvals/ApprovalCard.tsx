// One question to the person, with what they need to answer it.
import { useQueryClient } from "@tanstack/react-query";
import { App, Button, Input, Select } from "antd";
import { useState } from "react";

import { api } from "../../api/client";
import { keys } from "../../api/keys";
import type { AnswerResult, PendingApproval, RememberScope } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { href } from "../../router";
import { sayError } from "../../shell/Problem";
import callStyles from "../call/call.module.css";
import { PlanView } from "../call/PlanView";
import { timeText } from "../format";
import { useConsoleText } from "../texts";
import { shapeWords } from "./words";

const SCOPES: readonly RememberScope[] = ["session", "workspace", "always"];

export function ApprovalCard({ approval }: { approval: PendingApproval }) {
  const texts = useConsoleText();
  const text = texts.oversight.approvals;
  const { language } = useLanguage();
  const { subject } = approval;
  return (
    <section className={callStyles.card} aria-label={approval.tool}>
      <div className={callStyles.cardHead}>
        <h2>
          <code className={callStyles.mono}>{approval.tool}</code>
        </h2>
        <span className={callStyles.quiet}>{text.until(timeText(approval.expires_at, language))}</span>
        <div className={callStyles.end}>
          {approval.session_id !== "" && (
            <a href={href({ name: "session", id: approval.session_id })}>{approval.session_title ?? text.open}</a>
          )}
        </div>
      </div>
      <div className={callStyles.cardBody}>
        {subject.about === "execution" ? (
          <>
            <PlanView plan={subject.plan} />
            <details>
              <summary>{text.arguments}</summary>
              <pre className={callStyles.pre}>{JSON.stringify(approval.arguments, null, 2)}</pre>
            </details>
            <ExecutionAnswers approval={approval} />
          </>
        ) : (
          <ResultAnswers approval={approval} shown={subject.text} />
        )}
      </div>
    </section>
  );
}

function useAnswer(approval: PendingApproval): [boolean, (body: object) => void] {
  const texts = useText();
  const text = useConsoleText().oversight.approvals;
  const client = useQueryClient();
  const { message } = App.useApp();
  const [busy, setBusy] = useState(false);
  const answer = async (body: object) => {
    setBusy(true);
    try {
      const result = await api.post<AnswerResult>(`approvals/${encodeURIComponent(approval.id)}`, body);
      message.info(result.accepted ? text.answered : text.late);
      await client.invalidateQueries({ queryKey: keys.approvals });
    } catch (error) {
      message.error(sayError(error, texts).message);
    }
    setBusy(false);
  };
  return [busy, (body) => void answer(body)];
}

function ExecutionAnswers({ approval }: { approval: PendingApproval }) {
  const texts = useConsoleText();
  const text = texts.oversight.approvals;
  const [busy, answer] = useAnswer(approval);
  const [reason, setReason] = useState("");
  const [shapeAt, setShapeAt] = useState(0);
  const [scope, setScope] = useState<RememberScope>("session");
  const shapes = approval.subject.about === "execution" ? (approval.subject.plan.shapes ?? []) : [];
  const shape = approval.may_remember ? shapes[shapeAt] : undefined;
  return (
    <>
      {shape !== undefined && (
        <div className={callStyles.buttons}>
          <Select<number>
            size="small"
            value={shapeAt}
            aria-label={text.shape}
            style={{ maxWidth: "100%" }}
            popupMatchSelectWidth={false}
            options={shapes.map((one, index) => ({ value: index, label: shapeWords(one, approval.tool, texts.oversight.grants) }))}
            onChange={setShapeAt}
          />
          <Select<RememberScope>
            size="small"
            value={scope}
            aria-label={text.scope}
            options={SCOPES.map((value) => ({ value, label: text.scopes[value] }))}
            onChange={setScope}
          />
          <Button size="small" disabled={busy} onClick={() => answer({ answer: "yes", remember: { scope, shape, until: null } })}>
            {text.yesRemember}
          </Button>
        </div>
      )}
      <div className={callStyles.buttons}>
        <Button type="primary" loading={busy} onClick={() => answer({ answer: "yes" })}>
          {text.yes}
        </Button>
        <Button disabled={busy} danger onClick={() => answer({ answer: "no", ...(reason === "" ? {} : { reason }) })}>
          {text.no}
        </Button>
        <Input
          value={reason}
          style={{ flex: 1, minWidth: 160 }}
          placeholder={text.reason}
          aria-label={text.reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
    </>
  );
}

function ResultAnswers({ approval, shown }: { approval: PendingApproval; shown: string }) {
  const text = useConsoleText().oversight.approvals;
  const [busy, answer] = useAnswer(approval);
  const [edited, setEdited] = useState(shown);
  return (
    <>
      <label htmlFor={`result-${approval.id}`}>{text.resultTitle}</label>
      <Input.TextArea
        id={`result-${approval.id}`}
        value={edited}
        className={callStyles.mono ?? ""}
        autoSize={{ minRows: 3, maxRows: 20 }}
        onChange={(event) => setEdited(event.target.value)}
      />
      <div className={callStyles.buttons}>
        <Button
          type="primary"
          loading={busy}
          onClick={() => answer(edited === shown ? { answer: "pass" } : { answer: "edit", text: edited })}
        >
          {edited === shown ? text.pass : text.sendEdited}
        </Button>
        <Button danger disabled={busy} onClick={() => answer({ answer: "withhold" })}>
          {text.withhold}
        </Button>
      </div>
    </>
  );
}
