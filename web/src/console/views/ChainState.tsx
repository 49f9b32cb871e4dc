// Whether the audit chain is whole, and the button that finds out.
import { CheckCircleOutlined, CloseCircleOutlined, SafetyOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";

import { api } from "../../api/client";
import type { AuditCheck } from "../../api/types";
import { useLanguage } from "../../i18n";
import { Problem } from "../../shell/Problem";
import callStyles from "../call/call.module.css";
import { timeText } from "../format";
import { useConsoleText } from "../texts";
import styles from "./views.module.css";

/** A long chain takes its time. */
const LONGEST = 300_000;

export function ChainState() {
  const text = useConsoleText().oversight.audit;
  const { language } = useLanguage();
  const check = useQuery({
    queryKey: ["audit-verify"],
    queryFn: ({ signal }) => api.get<AuditCheck>("audit/verify", { signal, timeout: LONGEST }),
    enabled: false,
    staleTime: Infinity,
    retry: false,
  });
  const found = check.data;
  const look = found === undefined ? "" : found.intact ? styles.stateGood : styles.stateBad;
  return (
    <>
      <div className={`${styles.state ?? ""} ${look ?? ""}`} role="status">
        {found === undefined ? (
          <>
            <SafetyOutlined aria-hidden />
            <span>{text.unchecked}</span>
          </>
        ) : (
          <>
            {found.intact ? (
              <CheckCircleOutlined aria-hidden className={callStyles.good} />
            ) : (
              <CloseCircleOutlined aria-hidden className={callStyles.bad} />
            )}
            <strong>{found.intact ? text.intact(found.records) : text.broken}</strong>
            {found.problem !== undefined && <span>{found.problem}</span>}
            <span className={callStyles.quiet}>{text.checkedAt(timeText(check.dataUpdatedAt, language))}</span>
          </>
        )}
        <Button size="small" style={{ marginInlineStart: "auto" }} loading={check.isFetching} onClick={() => void check.refetch()}>
          {check.isFetching ? text.verifying : text.verify}
        </Button>
      </div>
      {check.isError && !check.isFetching && <Problem error={check.error} />}
    </>
  );
}
