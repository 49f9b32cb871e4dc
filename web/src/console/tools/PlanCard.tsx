// The plan of a call, asked for before it runs. Nothing runs here.
import { CloseOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Alert, Button, Spin } from "antd";

import { api } from "../../api/client";
import type { ErrorBody, Explanation, Json } from "../../api/types";
import { Problem } from "../../shell/Problem";
import styles from "../call/call.module.css";
import { Fact, PlanView } from "../call/PlanView";
import { useConsoleText } from "../texts";

interface Props {
  tool: string;
  parameters: Json;
  /** The arguments were changed since. */
  isOld: boolean;
  onClose: () => void;
}

interface Explained {
  explanation?: Explanation;
  error?: ErrorBody;
}

export function PlanCard({ tool, parameters, isOld, onClose }: Props) {
  const text = useConsoleText().call;
  const plan = useQuery({
    queryKey: ["explain", tool, parameters],
    queryFn: ({ signal }) => api.post<Explained>("tools/explain", { tool_name: tool, parameters }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const explanation = plan.data?.explanation;
  return (
    <section className={styles.card} aria-label={text.planTitle}>
      <div className={styles.cardHead}>
        <h2>{text.planTitle}</h2>
        {isOld && <span className={styles.warn}>{text.changed}</span>}
        <div className={styles.end}>
          <Button type="text" size="small" icon={<CloseOutlined />} aria-label={text.close} onClick={onClose} />
        </div>
      </div>
      <div className={styles.cardBody}>
        {plan.isPending && (
          <span className={styles.buttons}>
            <Spin size="small" /> {text.planning}
          </span>
        )}
        {plan.isError && <Problem error={plan.error} onRetry={() => void plan.refetch()} />}
        {plan.data?.error && (
          <Alert type="error" title={`${text.noPlan} ${plan.data.error.message}`} description={plan.data.error.hint ?? undefined} />
        )}
        {explanation?.plan && <PlanView plan={explanation.plan} explanation={explanation} />}
        {explanation?.plan === null && (
          <dl className={styles.facts}>
            <Fact name={text.decision}>{text.decisions[explanation.decision]}</Fact>
            <Fact name={text.why}>{explanation.why}</Fact>
          </dl>
        )}
      </div>
    </section>
  );
}
