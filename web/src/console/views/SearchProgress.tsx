// What stands where results will be: running, a question, or why there are none.
import { Button } from "antd";

import { Problem } from "../../shell/Problem";
import callStyles from "../call/call.module.css";
import { OutcomeView } from "../call/OutcomeView";
import { PlanView } from "../call/PlanView";
import { Running } from "../call/Running";
import type { Call } from "../call/useCall";
import { useConsoleText } from "../texts";

export function SearchProgress({ call }: { call: Call }) {
  const texts = useConsoleText();
  const { state } = call;
  switch (state.step) {
    case "running":
      return (
        <div className={callStyles.buttons}>
          <Running since={state.since} />
          <Button size="small" onClick={call.cancel}>
            {texts.views.search.stop}
          </Button>
        </div>
      );
    case "asking":
      return (
        <div className={callStyles.card}>
          <div className={callStyles.cardBody}>
            {state.response.plan ? <PlanView plan={state.response.plan} /> : <p>{state.response.confirmation_message}</p>}
            <div className={callStyles.buttons}>
              <Button type="primary" onClick={call.confirm}>
                {texts.call.yes}
              </Button>
              <Button onClick={call.decline}>{texts.call.no}</Button>
            </div>
          </div>
        </div>
      );
    case "ended":
      return state.response.success ? null : <OutcomeView response={state.response} />;
    case "failed":
      return <Problem error={state.error} />;
    default:
      return null;
  }
}
