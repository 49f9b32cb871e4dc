// The history in the sidebar: begin anew, search, and the conversations by kind.
import { DownOutlined, ImportOutlined, PlusOutlined, SearchOutlined } from "@ant-design/icons";
import { Button, Dropdown, Input, Tooltip } from "antd";
import { useRef, useState } from "react";

import { useDeletedSessions, useSessions } from "../api/queries";
import { useText } from "../i18n";
import { navigate } from "../router";
import { isComposing } from "../text/composing";
import styles from "./history.module.css";
import { SearchResults } from "./SearchResults";
import { SessionList } from "./SessionList";
import { useDebounced } from "./useDebounced";
import { useSessionActions } from "./useSessionActions";

const KINDS = ["active", "archived", "bin"] as const;
type Kind = (typeof KINDS)[number];

interface Props {
  current: string | undefined;
  /** Something was chosen: a drawer may close. */
  onDone?: (() => void) | undefined;
}

export function HistoryList({ current, onDone }: Props) {
  const text = useText().history;
  const [typed, setTyped] = useState("");
  const [kind, setKind] = useState<Kind>("active");
  const query = useDebounced(typed.trim(), 200);
  const { importFile } = useSessionActions();
  const file = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.history}>
      <div className={styles.top}>
        <Input
          allowClear
          role="searchbox"
          className={styles.search}
          prefix={<SearchOutlined aria-hidden />}
          placeholder={text.search}
          aria-label={text.search}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            // Escape that gives up a Chinese word is not meant for the search.
            if (event.key === "Escape" && !isComposing(event)) setTyped("");
          }}
        />
        <div className={styles.topRow}>
          <Button
            className={styles.new}
            icon={<PlusOutlined aria-hidden />}
            onClick={() => {
              navigate({ name: "home" });
              onDone?.();
            }}
          >
            {text.new}
          </Button>
          <Tooltip title={text.import}>
            <Button aria-label={text.import} icon={<ImportOutlined aria-hidden />} onClick={() => file.current?.click()} />
          </Tooltip>
          <input
            ref={file}
            type="file"
            hidden
            accept="application/json,.json"
            aria-label={text.import}
            onChange={(event) => {
              const chosen = event.target.files?.[0];
              event.target.value = "";
              if (chosen) void importFile(chosen);
            }}
          />
        </div>
      </div>
      {query === "" ? (
        <>
          <div className={styles.kind}>
            <Dropdown
              trigger={["click"]}
              menu={{
                selectable: true,
                selectedKeys: [kind],
                items: KINDS.map((key) => ({ key, label: text[key] })),
                onClick: ({ key }) => setKind(key as Kind),
              }}
            >
              <button type="button" className={styles.kindButton} aria-haspopup="menu">
                {text[kind]} <DownOutlined aria-hidden />
              </button>
            </Dropdown>
          </div>
          <div className={styles.scroll}>
            <OfKind kind={kind} current={current} onDone={onDone} />
          </div>
        </>
      ) : (
        <div className={styles.scroll}>
          <SearchResults query={query} onOpen={onDone} />
        </div>
      )}
    </div>
  );
}

function OfKind({ kind, current, onDone }: Props & { kind: Kind }) {
  return kind === "bin" ? (
    <Bin current={current} />
  ) : (
    <Listed archived={kind === "archived"} current={current} onDone={onDone} />
  );
}

function Listed({ archived, current, onDone }: Props & { archived: boolean }) {
  const text = useText().history;
  return (
    <SessionList
      query={useSessions(archived)}
      current={current}
      empty={archived ? text.emptyArchive : text.empty}
      hint={archived ? undefined : text.emptyHint}
      onOpen={onDone}
    />
  );
}

function Bin({ current }: { current: string | undefined }) {
  const text = useText().history;
  return <SessionList query={useDeletedSessions()} current={current} empty={text.emptyBin} />;
}
