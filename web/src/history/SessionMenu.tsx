// The actions of one session, behind three dots.
import {
  DeleteOutlined,
  EditOutlined,
  ExportOutlined,
  ForkOutlined,
  InboxOutlined,
  MoreOutlined,
  RollbackOutlined,
} from "@ant-design/icons";
import { Button, Dropdown, type MenuProps } from "antd";

import type { SessionItem } from "../api/types";
import { useText } from "../i18n";
import { titleOf } from "./title";
import { useSessionActions } from "./useSessionActions";

interface Props {
  session: SessionItem;
  onRename?: (() => void) | undefined;
  className?: string | undefined;
  /** What the button is called, where the session is not one of many. */
  label?: string | undefined;
}

export function SessionMenu({ session, onRename, className, label }: Props) {
  const text = useText();
  const words = text.history;
  const actions = useSessionActions();
  const deleted = session.deleted_at !== undefined;
  const usual: MenuProps["items"] = [
    ...(onRename
      ? [{ key: "rename", icon: <EditOutlined aria-hidden />, label: words.rename, onClick: () => onRename() }]
      : []),
    { key: "fork", icon: <ForkOutlined aria-hidden />, label: words.forkWhole, onClick: () => void actions.fork(session) },
    {
      key: "archive",
      icon: <InboxOutlined aria-hidden />,
      label: session.is_archived ? words.unarchive : words.archive,
      onClick: () => void actions.archive(session, !session.is_archived),
    },
    {
      key: "markdown",
      icon: <ExportOutlined aria-hidden />,
      label: words.exportMarkdown,
      onClick: () => actions.exportAs(session, "markdown"),
    },
    {
      key: "json",
      icon: <ExportOutlined aria-hidden />,
      label: words.exportJson,
      onClick: () => actions.exportAs(session, "json"),
    },
    { type: "divider" },
    {
      key: "delete",
      icon: <DeleteOutlined aria-hidden />,
      label: words.delete,
      danger: true,
      onClick: () => actions.remove(session),
    },
  ];
  const inBin: MenuProps["items"] = [
    { key: "restore", icon: <RollbackOutlined aria-hidden />, label: words.restore, onClick: () => void actions.restore(session) },
    {
      key: "forever",
      icon: <DeleteOutlined aria-hidden />,
      label: words.deleteForever,
      danger: true,
      onClick: () => actions.removeForever(session),
    },
  ];
  return (
    <Dropdown trigger={["click"]} menu={{ items: deleted ? inBin : usual }} placement="bottomRight">
      <Button
        type="text"
        size="small"
        className={className}
        aria-haspopup="menu"
        aria-label={label ?? words.more(titleOf(session, text))}
        icon={<MoreOutlined aria-hidden />}
      />
    </Dropdown>
  );
}
