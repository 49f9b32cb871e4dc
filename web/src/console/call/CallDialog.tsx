// A call that a button somewhere starts: asks with the plan, runs, says how it ended. Nothing to say, nothing shown.
import { Button, Modal } from "antd";

import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import { useConsoleText } from "../texts";
import { Answers, AskAgain } from "./Answers";
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
          <div className={styles.answers}>
            <Answers call={call} until={state.response.plan_expires_at} yes={yes ?? text.yes} />
          </div>
        ) : state.step === "running" ? (
          <Button onClick={call.cancel}>{text.cancel}</Button>
        ) : (
          <div className={styles.answers}>
            <Button type="primary" onClick={call.reset}>
              {text.close}
            </Button>
            {state.step === "ended" && state.response.status === "expired" && <AskAgain call={call} />}
          </div>
        )
      }
    >
      <div className={styles.dialogBody}>
        {state.step === "running" && <Running since={state.since} />}
        {state.step === "asking" &&
          (state.response.plan ? (
            <PlanView plan={state.response.plan} />
          ) : (
            <p className={styles.asked}>{visible(state.response.confirmation_message ?? "")}</p>
          ))}
        {state.step === "ended" && <OutcomeView response={state.response} />}
        {state.step === "failed" && <Problem error={state.error} />}
      </div>
    </Modal>
  );
}
