// The audit trail: every record, page by page, and whether the chain is whole.
import { useQuery } from "@tanstack/react-query";
import { Button, Input, Select } from "antd";
import { useState } from "react";

import { api } from "../../api/client";
import type { AuditPage, AuditRecord } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import { ToolPanel } from "../../shell/ToolPanel";
import callStyles from "../call/call.module.css";
import { statusWord } from "../call/OutcomeView";
import styles from "../console.module.css";
import { type Column, Table } from "../data/Table";
import { durationText, timeText } from "../format";
import { type ConsoleTexts, useConsoleText } from "../texts";
import { AuditDetail } from "./AuditDetail";
import { ChainState } from "./ChainState";
import { ViewFrame } from "./ViewFrame";

const SIZE = 50;
const STATUSES = [
  "started",
  "success",
  "error",
  "blocked",
  "execution_rejected",
  "result_rejected",
  "expired",
  "nobody_to_ask",
  "timed_out",
  "cancelled",
  "invalid_arguments",
  "not_found",
];

interface Filters {
  tool: string;
  status: string;
  session: string;
}

const NONE: Filters = { tool: "", status: "", session: "" };

export function AuditView() {
  const text = useConsoleText().oversight.audit;
  return (
    <ViewFrame title={useText().shell.navigation.audit} about={text.about}>
      <ChainState />
      <Records />
    </ViewFrame>
  );
}

export function auditStatus(status: string, texts: ConsoleTexts): string {
  return status === "started" ? texts.oversight.audit.started : statusWord(status, texts.call);
}

function Records() {
  const texts = useConsoleText();
  const text = texts.oversight.audit;
  const { language } = useLanguage();
  const [filters, setFilters] = useState(NONE);
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<AuditRecord | null>(null);
  const query = {
    page,
    page_size: SIZE,
    tool: filters.tool.trim() || null,
    status: filters.status || null,
    session_id: filters.session.trim() || null,
  };
  const records = useQuery({
    queryKey: ["audit", query],
    queryFn: ({ signal }) => api.get<AuditPage>("audit", { query, signal }),
    placeholderData: (before) => before,
  });
  const filter = (more: Partial<Filters>) => {
    setFilters({ ...filters, ...more });
    setPage(1);
  };
  const columns: Column<AuditRecord>[] = [
    {
      key: "when",
      title: text.when,
      tight: true,
      show: (one) => (
        <Button type="link" size="small" style={{ padding: 0 }} onClick={() => setChosen(one)} aria-label={text.detail(one.seq)}>
          {timeText(one.timestamp, language)}
        </Button>
      ),
    },
    { key: "tool", title: text.tool, tight: true, show: (one) => <code className={callStyles.mono}>{one.tool_name}</code> },
    { key: "phase", title: text.phase, tight: true, show: (one) => text.phases[one.phase] },
    {
      key: "status",
      title: text.status,
      tight: true,
      show: (one) => <span className={statusClass(one.status)}>{auditStatus(one.status, texts)}</span>,
    },
    { key: "caller", title: text.caller, tight: true, show: (one) => one.caller },
    { key: "decision", title: text.decision, show: (one) => [one.decision, one.decided_by].filter(Boolean).join(" · ") },
    {
      key: "duration",
      title: text.duration,
      right: true,
      show: (one) => (one.duration_ms === null ? "" : durationText(one.duration_ms)),
    },
  ];
  const isFiltered = filters.tool !== "" || filters.status !== "" || filters.session !== "";
  return (
    <>
      <div className={styles.row}>
        <Input
          allowClear
          style={{ width: 180 }}
          value={filters.tool}
          placeholder={text.filterTool}
          aria-label={text.filterTool}
          onChange={(event) => filter({ tool: event.target.value })}
        />
        <Select<string>
          allowClear
          style={{ width: 190 }}
          placeholder={text.filterStatus}
          aria-label={text.filterStatus}
          {...(filters.status === "" ? {} : { value: filters.status })}
          options={STATUSES.map((value) => ({ value, label: auditStatus(value, texts) }))}
          onChange={(status?: string) => filter({ status: status ?? "" })}
        />
        <Input
          allowClear
          style={{ width: 300 }}
          value={filters.session}
          placeholder={text.filterSession}
          aria-label={text.filterSession}
          onChange={(event) => filter({ session: event.target.value })}
        />
        {isFiltered && (
          <Button type="text" onClick={() => filter(NONE)}>
            {text.clear}
          </Button>
        )}
      </div>
      {records.isPending && <Loading />}
      {records.isError && <Problem error={records.error} onRetry={() => void records.refetch()} />}
      {records.data && (
        <>
          <Table label={text.about} columns={columns} rows={records.data.records} rowKey={(one) => String(one.seq)} empty={text.none} />
          <div className={styles.row}>
            <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
              {text.newer}
            </Button>
            <span className={callStyles.quiet}>{text.page(page)}</span>
            <Button disabled={!records.data.has_more} onClick={() => setPage(page + 1)}>
              {text.older}
            </Button>
          </div>
        </>
      )}
      <ToolPanel title={chosen === null ? "" : text.detail(chosen.seq)} open={chosen !== null} onClose={() => setChosen(null)}>
        {chosen !== null && <AuditDetail record={chosen} />}
      </ToolPanel>
    </>
  );
}

function statusClass(status: string): string | undefined {
  if (status === "success") return callStyles.good;
  return status === "started" ? callStyles.quiet : callStyles.bad;
}
