// One record of the audit trail, whole.
import type { AuditRecord } from "../../api/types";
import { useLanguage } from "../../i18n";
import callStyles from "../call/call.module.css";
import { Fact } from "../call/PlanView";
import { DataTree } from "../data/DataTree";
import { durationText, timeText } from "../format";
import { useConsoleText } from "../texts";
import { auditStatus } from "./AuditView";

export function AuditDetail({ record }: { record: AuditRecord }) {
  const texts = useConsoleText();
  const text = texts.oversight.audit;
  const { language } = useLanguage();
  const facts: [string, string | null | undefined][] = [
    [text.when, timeText(record.timestamp, language)],
    [text.tool, record.tool_name],
    [text.phase, text.phases[record.phase]],
    [text.status, auditStatus(record.status, texts)],
    [text.duration, record.duration_ms === null ? null : durationText(record.duration_ms)],
    [text.caller, record.caller],
    [text.decision, [record.decision, record.decided_by].filter(Boolean).join(" · ")],
    [texts.call.rule, record.rule],
    [text.confinement, record.confinement],
    [text.session, record.session_id],
    [texts.call.callId, record.call_id],
    [text.inputHash, record.input_sha256],
    [text.outputHash, record.output_sha256],
    [text.hash, record.hash],
  ];
  return (
    <div className={callStyles.cardBody} style={{ padding: 0 }}>
      <dl className={callStyles.facts}>
        {facts
          .filter(([, value]) => value !== null && value !== undefined && value !== "")
          .map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
      </dl>
      <div>
        <strong>{text.arguments}</strong>
        <DataTree data={record.arguments} />
      </div>
      {record.result !== null && (
        <div>
          <strong>{text.result}</strong>
          <pre className={callStyles.pre} tabIndex={0}>
            {record.result}
          </pre>
        </div>
      )}
    </div>
  );
}
