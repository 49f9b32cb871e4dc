// Programs that run in the background: which, since when, what they print, and a way to end them.
import { useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Empty, Popconfirm } from "antd";
import { useState } from "react";

import { keys } from "../../api/keys";
import { useProcesses } from "../../api/queries";
import type { ProcessInfo } from "../../api/types";
import { RelativeTime } from "../../history/RelativeTime";
import { useText } from "../../i18n";
import { href } from "../../router";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import { isConversation } from "../../api/conversations";
import callStyles from "../call/call.module.css";
import { CallDialog } from "../call/CallDialog";
import { routeCall, useCall } from "../call/useCall";
import { type ConsoleTexts, useConsoleText } from "../texts";
import { JobOutput } from "./JobOutput";
import { ViewFrame } from "./ViewFrame";
import styles from "./views.module.css";

export function JobsView() {
  const text = useConsoleText().views.jobs;
  return (
    <ViewFrame title={useText().shell.navigation.jobs} about={text.about}>
      <Jobs />
    </ViewFrame>
  );
}

export function jobStatus(job: { status: string; exit_code?: number | null }, text: ConsoleTexts["views"]["jobs"]): string {
  if (job.status === "exited" && typeof job.exit_code === "number") return text.exited(String(job.exit_code));
  return Object.hasOwn(text.statuses, job.status) ? text.statuses[job.status as keyof typeof text.statuses] : job.status;
}

function Jobs() {
  const text = useConsoleText().views.jobs;
  const jobs = useProcesses();
  const [chosen, setChosen] = useState<string | null>(null);
  if (jobs.isPending) return <Loading />;
  if (jobs.isError && jobs.data === undefined) return <Problem error={jobs.error} onRetry={() => void jobs.refetch()} />;
  if (jobs.data.length === 0) return <Empty description={text.none} />;
  const job = jobs.data.find((one) => one.id === chosen) ?? jobs.data[0];
  return (
    <div className={styles.jobs}>
      <ul className={styles.jobList}>
        {jobs.data.map((one) => (
          <li key={one.id}>
            <button type="button" className={styles.job} aria-pressed={one.id === job?.id} onClick={() => setChosen(one.id)}>
              <code>{visible(one.command)}</code>
              <small>
                <span className={one.status === "running" ? callStyles.good : undefined}>{jobStatus(one, text)}</span>
                {" · "}
                <RelativeTime at={one.started_at} />
                {typeof one.pid === "number" && ` · pid ${one.pid}`}
              </small>
            </button>
          </li>
        ))}
      </ul>
      {job === undefined ? <Alert type="info" title={text.choose} /> : <Job key={job.id} job={job} />}
    </div>
  );
}

function Job({ job }: { job: ProcessInfo }) {
  const text = useConsoleText().views.jobs;
  const client = useQueryClient();
  const kill = useCall(() => void client.invalidateQueries({ queryKey: keys.processes }));
  return (
    <section className={callStyles.card} aria-label={text.output}>
      <div className={callStyles.cardHead}>
        <h2>{text.output}</h2>
        <span className={callStyles.quiet}>{jobStatus(job, text)}</span>
        <div className={callStyles.end}>
          {isConversation(job.session_id) && <a href={href({ name: "session", id: job.session_id })}>{text.conversation}</a>}
          {job.status === "running" && (
            <Popconfirm
              title={text.endAsk}
              okText={text.end}
              onConfirm={() => kill.start(routeCall(`processes/${encodeURIComponent(job.id)}/kill`))}
            >
              <Button size="small" danger>
                {text.end}
              </Button>
            </Popconfirm>
          )}
        </div>
      </div>
      <div className={callStyles.cardBody}>
        <JobOutput id={job.id} />
      </div>
      <CallDialog call={kill} title={text.end} yes={text.end} />
    </section>
  );
}
