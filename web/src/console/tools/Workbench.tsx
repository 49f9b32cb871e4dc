// Where a tool is used: arguments, "show the plan", "run", and what came of it.
import { CaretRightOutlined, EyeOutlined } from "@ant-design/icons";
import { Alert, Button } from "antd";
import { useState } from "react";

import type { Json, ToolInfo } from "../../api/types";
import { CopyButton } from "../../conversation/CopyButton";
import { useLanguage, useText } from "../../i18n";
import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import callStyles from "../call/call.module.css";
import { Answers, AskAgain } from "../call/Answers";
import { asCommand, toolAsCurl } from "../call/copyAs";
import { OutcomeView } from "../call/OutcomeView";
import { PlanView } from "../call/PlanView";
import { Running } from "../call/Running";
import { type Call, toolCall, useCall } from "../call/useCall";
import styles from "../console.module.css";
import { timeText } from "../format";
import { useConsoleText } from "../texts";
import { ArgumentsCard } from "./ArgumentsCard";
import { PlanCard } from "./PlanCard";
import { useArguments } from "./useArguments";
import { Waiting } from "./Waiting";

export function Workbench({ tool }: { tool: ToolInfo }) {
  const text = useConsoleText().call;
  const input = useArguments(tool);
  const call = useCall();
  const [planned, setPlanned] = useState<{ parameters: Json; round: number } | null>(null);
  const [insisted, setInsisted] = useState(false);
  const wrong = input.problem !== "" || input.issues.length > 0;
  const [sent, setSent] = useState<Json>(null);
  // While it runs or asks, the form shows what the plan is about.
  const isBusy = call.state.step === "running" || call.state.step === "asking";
  const guarded = (action: () => void) => {
    setInsisted(wrong);
    if (!wrong) action();
  };
  return (
    <>
      <ArgumentsCard tool={tool} input={input} showAll={insisted} disabled={isBusy} />
      <div className={styles.row}>
        <Button
          type="primary"
          icon={<CaretRightOutlined />}
          disabled={isBusy || !tool.available}
          onClick={() =>
            guarded(() => {
              setSent(input.value);
              call.start(toolCall(tool.name, input.value));
            })
          }
        >
          {text.run}
        </Button>
        <Button
          icon={<EyeOutlined />}
          disabled={isBusy || !tool.available}
          onClick={() => guarded(() => setPlanned((before) => ({ parameters: input.value, round: (before?.round ?? 0) + 1 })))}
        >
          {text.plan}
        </Button>
        <div className={callStyles.end}>
          <CopyButton named label={text.copyCommand} text={() => asCommand(tool.name, input.value)} />
          <CopyButton named label={text.copyCurl} text={() => toolAsCurl(tool.name, input.value, window.location.origin)} />
        </div>
      </div>
      {planned && (
        <PlanCard
          key={planned.round}
          tool={tool.name}
          parameters={planned.parameters}
          isOld={planned.parameters !== input.value}
          onClose={() => setPlanned(null)}
        />
      )}
      <Progress call={call} tool={tool} sent={sent} />
    </>
  );
}

function Progress({ call, tool, sent }: { call: Call; tool: ToolInfo; sent: Json }) {
  const text = useConsoleText().call;
  const { changes } = useText().conversation;
  const { language } = useLanguage();
  const { state } = call;
  switch (state.step) {
    case "idle":
      return null;
    case "running":
      return (
        <div className={styles.row}>
          <Running since={state.since} />
          <Button size="small" danger onClick={call.cancel}>
            {text.cancel}
          </Button>
          <Waiting tool={tool.name} parameters={sent} />
        </div>
      );
    case "asking": {
      const { plan, plan_expires_at: until, confirmation_message: question } = state.response;
      const isAboutChanges = plan?.changes !== undefined;
      const title = isAboutChanges ? changes.question : text.confirmTitle;
      return (
        <section className={callStyles.card} aria-label={title}>
          <div className={callStyles.cardHead}>
            <h2 className={callStyles.warn}>{title}</h2>
            {until !== undefined && <span className={callStyles.quiet}>{text.confirmUntil(timeText(until, language))}</span>}
          </div>
          <div className={callStyles.cardBody}>
            {plan ? <PlanView plan={plan} /> : <p>{visible(question ?? "")}</p>}
            <div className={callStyles.buttons}>
              <Answers call={call} until={until} yes={isAboutChanges ? changes.keep : text.yes} no={isAboutChanges ? changes.discardNow : undefined} />
            </div>
          </div>
        </section>
      );
    }
    case "ended":
      return (
        <OutcomeView response={state.response} extra={state.response.status === "expired" && <AskAgain call={call} />} />
      );
    case "failed":
      return <Problem error={state.error} />;
    case "declined":
      return <Alert type="info" title={text.declined} />;
    case "cancelled":
      return <Alert type="info" title={text.cancelled} />;
  }
}
