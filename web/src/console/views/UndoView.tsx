// What tools changed, and taking it back: one change, or a whole turn.
import { ReloadOutlined } from "@ant-design/icons";
import { Button, Empty, Switch } from "antd";
import { useState } from "react";

import { useUndoList } from "../../api/queries";
import type { UndoableChange } from "../../api/types";
import { RelativeTime } from "../../history/RelativeTime";
import { useText } from "../../i18n";
import { href } from "../../router";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import { isConversation } from "../../api/conversations";
import callStyles from "../call/call.module.css";
import { UndoButton } from "../call/UndoButton";
import styles from "../console.module.css";
import { type Column, Table } from "../data/Table";
import { useConsoleText } from "../texts";
import { TurnUndo } from "./TurnUndo";
import { ViewFrame } from "./ViewFrame";

export function UndoView() {
  const text = useConsoleText().oversight.undo;
  return (
    <ViewFrame title={useText().shell.navigation.undo} about={text.about}>
      <Changes />
    </ViewFrame>
  );
}

function Changes() {
  const texts = useConsoleText();
  const text = texts.oversight.undo;
  const list = useUndoList();
  const [onlyOpen, setOnlyOpen] = useState(false);
  if (list.isPending) return <Loading />;
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data.length === 0) return <Empty description={text.none} />;
  const columns: Column<UndoableChange>[] = [
    { key: "at", title: text.when, tight: true, show: (one) => <RelativeTime at={one.at} />, by: (one) => Date.parse(one.at) },
    { key: "tool", title: text.tool, tight: true, show: (one) => <code className={callStyles.mono}>{one.tool}</code>, by: (one) => one.tool },
    {
      key: "what",
      title: text.what,
      show: (one) => (
        <>
          {visible(one.summary)} <span className={callStyles.quiet}>{text.changes(one.changes)}</span>
        </>
      ),
    },
    {
      key: "conversation",
      title: text.conversation,
      tight: true,
      show: (one) => (isConversation(one.session_id) ? <a href={href({ name: "session", id: one.session_id })}>{text.conversation}</a> : ""),
    },
    {
      key: "state",
      title: text.state,
      tight: true,
      by: (one) => (one.undone_by === undefined ? 1 : 0),
      show: (one) =>
        one.undone_by === undefined ? <span className={callStyles.good}>{text.inEffect}</span> : <span className={callStyles.quiet}>{text.takenBack}</span>,
    },
    {
      key: "do",
      title: "",
      show: (one) =>
        // What was taken back is done again by taking back the undo, which stands further up.
        one.undone_by === undefined && (
          <div className={callStyles.buttons}>
            <UndoButton
              callId={one.call_id}
              sessionId={isConversation(one.session_id) ? one.session_id : undefined}
              label={one.tool === "undo" ? text.redo : text.takeBack}
            />
            {isConversation(one.session_id) && <TurnUndo change={one} all={list.data} />}
          </div>
        ),
    },
  ];
  return (
    <>
      <div className={styles.row}>
        <Button icon={<ReloadOutlined />} loading={list.isFetching} onClick={() => void list.refetch()}>
          {texts.views.refresh}
        </Button>
        <label className={callStyles.buttons}>
          <Switch size="small" checked={onlyOpen} onChange={setOnlyOpen} /> {text.onlyOpen}
        </label>
      </div>
      <Table
        label={text.about}
        columns={columns}
        rows={list.data.filter((one) => !onlyOpen || one.undone_by === undefined)}
        rowKey={(one) => one.call_id}
        empty={text.none}
      />
    </>
  );
}
