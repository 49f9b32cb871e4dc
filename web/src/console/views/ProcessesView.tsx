// What runs on the machine: a table that can be sorted and filtered, and a way to end one.
import { ReloadOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Input, Switch } from "antd";
import { useDeferredValue, useState } from "react";

import { call as callTool } from "../../api/execute";
import { useLanguage, useText } from "../../i18n";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import callStyles from "../call/call.module.css";
import { CallDialog } from "../call/CallDialog";
import { toolCall, useCall } from "../call/useCall";
import styles from "../console.module.css";
import dataStyles from "../data/data.module.css";
import { type Column, Table } from "../data/Table";
import { timeText } from "../format";
import { useConsoleText } from "../texts";
import { NeedsTool } from "./NeedsTool";
import { ViewFrame } from "./ViewFrame";

interface Row {
  pid: number;
  name: string;
  user?: string;
  cpu_percent: number;
  memory: { bytes: number; text: string };
  state: string;
  started_at: string;
  command: string;
}

interface Listed {
  processes: Row[];
  total: number;
}

const MOST = 500;
const EVERY = 5000;

export function ProcessesView() {
  const text = useConsoleText().views.processes;
  return (
    <ViewFrame title={useText().shell.navigation.processes} about={text.about}>
      <NeedsTool tool="list_processes">
        <Processes />
      </NeedsTool>
    </ViewFrame>
  );
}

function Processes() {
  const texts = useConsoleText();
  const text = texts.views.processes;
  const { language } = useLanguage();
  const [filter, setFilter] = useState("");
  const wanted = useDeferredValue(filter.trim());
  const [again, setAgain] = useState(false);
  const [victim, setVictim] = useState<Row | null>(null);
  const list = useQuery({
    queryKey: ["view", "processes", wanted],
    queryFn: async ({ signal }) => {
      const parameters = { limit: MOST, ...(wanted === "" ? {} : { filter: wanted }) };
      return (await callTool<Listed>({ tool_name: "list_processes", parameters }, signal)).data;
    },
    placeholderData: (before) => before,
    refetchInterval: again ? EVERY : false,
  });
  const kill = useCall(() => void list.refetch());
  if (list.isPending) return <Loading />;
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  const end = (row: Row) => {
    setVictim(row);
    kill.start(toolCall("kill_process", { pid: row.pid }));
  };
  const columns: Column<Row>[] = [
    { key: "pid", title: text.pid, show: (row) => row.pid, by: (row) => row.pid, right: true },
    { key: "name", title: text.name, show: (row) => <strong>{visible(row.name)}</strong>, by: (row) => row.name },
    { key: "user", title: text.user, show: (row) => visible(row.user ?? ""), by: (row) => row.user ?? "", tight: true },
    { key: "cpu", title: text.cpu, show: (row) => row.cpu_percent.toFixed(1), by: (row) => row.cpu_percent, right: true },
    { key: "memory", title: text.memory, show: (row) => row.memory.text, by: (row) => row.memory.bytes, right: true },
    { key: "state", title: text.state, show: (row) => row.state, by: (row) => row.state, tight: true },
    {
      key: "started",
      title: text.started,
      show: (row) => timeText(row.started_at, language),
      by: (row) => Date.parse(row.started_at),
      tight: true,
    },
    {
      key: "command",
      title: text.command,
      by: (row) => row.command,
      show: (row) => (
        <code className={`${callStyles.mono ?? ""} ${dataStyles.short ?? ""}`} title={visible(row.command)}>
          {visible(row.command)}
        </code>
      ),
    },
    {
      key: "end",
      title: "",
      show: (row) => (
        <Button size="small" danger aria-label={text.endOne(visible(row.name), row.pid)} onClick={() => end(row)}>
          {text.end}
        </Button>
      ),
    },
  ];
  return (
    <>
      <div className={styles.row}>
        <Input
          allowClear
          className={styles.grow ?? ""}
          style={{ maxWidth: 360 }}
          value={filter}
          placeholder={text.filter}
          aria-label={text.filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <Button icon={<ReloadOutlined />} loading={list.isFetching} onClick={() => void list.refetch()}>
          {texts.views.refresh}
        </Button>
        <label className={callStyles.buttons}>
          <Switch size="small" checked={again} onChange={setAgain} /> {text.every}
        </label>
        <span className={callStyles.quiet}>{text.shown(list.data.processes.length, list.data.total)}</span>
      </div>
      <Table
        label={text.about}
        columns={columns}
        rows={list.data.processes}
        rowKey={(row) => String(row.pid)}
        first={{ key: "cpu", down: true }}
        empty={text.none}
      />
      {victim !== null && <CallDialog call={kill} title={text.endOne(visible(victim.name), victim.pid)} yes={text.end} />}
    </>
  );
}
