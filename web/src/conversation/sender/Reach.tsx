// How far the model may go by itself, and where: the mode and the folder of a conversation, at the message field.
import { EyeOutlined, FolderAddOutlined, FolderOutlined, QuestionCircleOutlined, ThunderboltOutlined } from "@ant-design/icons";
import { Button, Dropdown, type MenuProps } from "antd";
import { type ReactNode, useState } from "react";

import { useAbout } from "../../api/queries";
import type { Mode } from "../../api/types";
import { useText } from "../../i18n";
import { visible } from "../../text/visible";
import { AddFolder } from "./AddFolder";
import styles from "./sender.module.css";

/** The modes that are offered here, in this order. Unattended is for servers without a person at the page. */
const OFFERED: readonly Mode[] = ["ask", "auto", "read-only"];
const ICONS: Record<Mode, ReactNode> = {
  ask: <QuestionCircleOutlined />,
  auto: <ThunderboltOutlined />,
  "read-only": <EyeOutlined />,
  unattended: <QuestionCircleOutlined />,
};

/** Of the entry that adds a folder; a folder's key is its path. */
const ADD = "";

interface Props {
  mode: Mode | undefined;
  /** What the server lets this person choose. */
  modes: readonly Mode[];
  onMode: (mode: Mode) => void;
  workspace: string | undefined;
  /** A demo has a folder of its own. */
  demo?: boolean;
  onWorkspace: (workspace: string) => void;
  running: boolean;
}

export function Reach({ mode, modes, onMode, workspace, demo = false, onWorkspace, running }: Props) {
  const words = useText().conversation.sender;
  const about = useAbout().data;
  const later = running ? words.fromNextMessage : null;
  const folders = about?.workspaces ?? [];
  const [adding, setAdding] = useState(false);
  const mayAdd = !demo && about?.user.owner === true && about.here;
  const note = demo ? words.demoFolder : about?.user.owner === false ? words.foldersByOwner : words.moreFolders;
  return (
    <div className={styles.reach}>
      {mode !== undefined && (
        <Chip
          name={words.mode}
          value={words.modes[mode].name}
          icon={ICONS[mode]}
          mark={mode}
          title={later ?? words.modeTitle}
          chosen={mode}
          items={OFFERED.filter((one) => one === mode || modes.includes(one)).map((one) => ({
            key: one,
            icon: ICONS[one],
            label: <Choice name={words.modes[one].name} about={words.modes[one].about} />,
          }))}
          onChoose={(key) => onMode(key as Mode)}
        />
      )}
      {workspace !== undefined && (
        <Chip
          name={words.workspace}
          value={lastPart(workspace)}
          icon={<FolderOutlined />}
          title={later ?? words.workspaceTitle}
          chosen={workspace}
          items={[
            ...[...new Set([workspace, ...(demo ? [] : folders)])].map((folder) => ({
              key: folder,
              label: <Choice name={lastPart(folder)} about={visible(folder)} />,
            })),
            mayAdd
              ? { key: ADD, icon: <FolderAddOutlined />, label: words.addFolder }
              : { key: ADD, disabled: true, label: <small className={styles.choiceNote}>{note}</small> },
          ]}
          onChoose={(key) => (key === ADD ? setAdding(true) : onWorkspace(key))}
        />
      )}
      {adding && <AddFolder onClose={() => setAdding(false)} onAdded={onWorkspace} />}
    </div>
  );
}

interface ChipProps {
  name: string;
  value: string;
  icon: ReactNode;
  mark?: string;
  title: string;
  chosen: string;
  items: NonNullable<MenuProps["items"]>;
  onChoose: (key: string) => void;
}

function Chip({ name, value, icon, mark, title, chosen, items, onChoose }: ChipProps) {
  return (
    <Dropdown
      trigger={["click"]}
      placement="topLeft"
      menu={{
        items: [{ type: "group", label: title, children: items }],
        selectable: true,
        selectedKeys: [chosen],
        onClick: ({ key }) => {
          if (key !== chosen) onChoose(key);
        },
      }}
    >
      <Button className={styles.chip} type="text" size="small" icon={icon} aria-label={`${name}: ${value}`} data-mark={mark}>
        <span className={styles.chipText}>{value}</span>
      </Button>
    </Dropdown>
  );
}

function Choice({ name, about }: { name: string; about: string }) {
  return (
    <span className={styles.choice}>
      <strong>{name}</strong>
      <small>{about}</small>
    </span>
  );
}

/** The name of a folder, on Windows as well. */
function lastPart(folder: string): string {
  return visible(folder.split(/[/\\]/).findLast((part) => part !== "") ?? folder);
}
