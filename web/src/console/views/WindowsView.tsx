// The windows on the desktop of the server.
import { ReloadOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Empty } from "antd";

import { call } from "../../api/execute";
import type { Json } from "../../api/types";
import { useText } from "../../i18n";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import { RowsTable } from "../data/DataView";
import { DataTree } from "../data/DataTree";
import { findRows } from "../data/rows";
import { useConsoleText } from "../texts";
import { NeedsTool } from "./NeedsTool";
import { ViewFrame } from "./ViewFrame";

export function WindowsView() {
  const text = useConsoleText().views;
  return (
    <ViewFrame title={useText().shell.navigation.windows} about={text.windows.about}>
      <NeedsTool tool="list_windows">
        <Windows />
      </NeedsTool>
    </ViewFrame>
  );
}

function Windows() {
  const text = useConsoleText().views;
  const windows = useQuery({
    queryKey: ["view", "windows"],
    queryFn: async ({ signal }) => (await call<Json>({ tool_name: "list_windows", parameters: {} }, signal)).data,
  });
  if (windows.isPending) return <Loading />;
  if (windows.isError) return <Problem error={windows.error} onRetry={() => void windows.refetch()} />;
  const rows = findRows(windows.data);
  const isEmpty = rows === null && Object.values(windows.data ?? {}).every((value) => Array.isArray(value) && value.length === 0);
  return (
    <>
      <div>
        <Button icon={<ReloadOutlined />} loading={windows.isFetching} onClick={() => void windows.refetch()}>
          {text.refresh}
        </Button>
      </div>
      {rows !== null ? <RowsTable found={rows} /> : isEmpty ? <Empty description={text.windows.none} /> : <DataTree data={windows.data} />}
    </>
  );
}
