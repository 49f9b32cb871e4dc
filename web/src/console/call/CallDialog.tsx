// A call that a button somewhere starts: asks with the plan, runs, says how it ended. Nothing to say, nothing shown.
import { Button, Modal } from "antd";

import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import { useConsoleText } from "../texts";
import { Answers } from "./Answers";
import styles from "./call.module.css";
import { OutcomeView } from "./OutcomeView";
import { PlanView } from "./PlanView";
import { Running } from "./Running";
import type { Call } from "./useCall";

interface Props {
  call: Call;
  title: string;
  /** What the button for the yes says, where "run it" is not the word. */
  yes?: string | undefined;
}

export function CallDialog({ call, title, yes }: Props) {
  const text = useConsoleText().call;
  const { state } = call;
  const open = state.step !== "idle" && state.step !== "declined" && state.step !== "cancelled";
  return (
    <Modal
      open={open}
      title={title}
      width={680}
      onCancel={state.step === "running" ? call.cancel : call.reset}
      footer={
        state.step === "asking" ? (
          <div className={styles.buttons} style={{ flexDirection: "row-reverse" }}>
            <Answers call={call} until={state.response.plan_expires_at} yes={yes ?? text.yes} />
          </div>
        ) : state.step === "running" ? (
          <Button onClick={call.cancel}>{text.cancel}</Button>
        ) : (
          <Button type="primary" onClick={call.reset}>
            {text.close}
          </Button>
        )
      }
    >
      <div className={styles.cardBody} style={{ padding: "8px 0" }}>
        {state.step === "running" && <Running since={state.since} />}
        {state.step === "asking" &&
          (state.response.plan ? (
            <PlanView plan={state.response.plan} />
          ) : (
            <p style={{ whiteSpace: "pre-line" }}>{visible(state.response.confirmation_message ?? "")}</p>
          ))}
        {state.step === "ended" && <OutcomeView response={state.response} />}
        {state.step === "failed" && <Problem error={state.error} />}
      </div>
    </Modal>
  );
}
