// Files and folders by their names.
import { Button, Checkbox, Input, Select } from "antd";
import { useState } from "react";

import { openPreview } from "../../files/preview";
import { useLanguage } from "../../i18n";
import { bytesText } from "../../text/bytes";
import { visible } from "../../text/visible";
import callStyles from "../call/call.module.css";
import { toolCall, useCall } from "../call/useCall";
import styles from "../console.module.css";
import { type Column, Table } from "../data/Table";
import { timeText } from "../format";
import { useConsoleText } from "../texts";
import { SearchProgress } from "./SearchProgress";
import viewStyles from "./views.module.css";

interface Entry {
  path: string;
  kind: string;
  size?: number;
  modified?: string;
}

interface Found {
  matches: Entry[];
  total: number;
  more: boolean;
  skipped_sensitive: number;
}

type Type = "all" | "file" | "dir";

/** A bare word means every name that has it. */
function globOf(text: string): string {
  return /[*?[{/]/.test(text) ? text : `*${text}*`;
}

export function NameSearch() {
  const text = useConsoleText().views.search;
  const [pattern, setPattern] = useState("");
  const [path, setPath] = useState("");
  const [type, setType] = useState<Type>("all");
  const [hidden, setHidden] = useState(false);
  const call = useCall();
  const { state } = call;
  const found = state.step === "ended" && state.response.success ? (state.response.outcome?.data as unknown as Found) : null;
  return (
    <div className={viewStyles.hits}>
      <form
        className={styles.row}
        onSubmit={(event) => {
          event.preventDefault();
          const parameters = { pattern: globOf(pattern), type, include_hidden: hidden, limit: 500, ...(path === "" ? {} : { path }) };
          call.start(toolCall("file_search", parameters));
        }}
      >
        <Input
          className={styles.grow ?? ""}
          value={pattern}
          placeholder={text.glob}
          aria-label={text.glob}
          onChange={(event) => setPattern(event.target.value)}
        />
        <Input
          style={{ width: 170 }}
          value={path}
          placeholder={text.path}
          aria-label={text.path}
          onChange={(event) => setPath(event.target.value)}
        />
        <Select<Type>
          value={type}
          aria-label={text.type}
          style={{ width: 160 }}
          options={(["all", "file", "dir"] as const).map((value) => ({ value, label: text.types[value] }))}
          onChange={setType}
        />
        <Checkbox checked={hidden} onChange={(event) => setHidden(event.target.checked)}>
          {text.hidden}
        </Checkbox>
        <Button type="primary" htmlType="submit">
          {text.go}
        </Button>
      </form>
      <SearchProgress call={call} />
      {found !== null && <Entries found={found} />}
    </div>
  );
}

function Entries({ found }: { found: Found }) {
  const text = useConsoleText().views.search;
  const { language } = useLanguage();
  const columns: Column<Entry>[] = [
    {
      key: "path",
      title: text.columns.path,
      by: (entry) => entry.path,
      show: (entry) =>
        entry.kind === "file" ? (
          <Button type="link" size="small" style={{ padding: 0, height: "auto", whiteSpace: "normal", textAlign: "start" }} onClick={() => openPreview({ path: entry.path, name: entry.path })}>
            <code className={callStyles.mono}>{visible(entry.path)}</code>
          </Button>
        ) : (
          <code className={callStyles.mono}>{visible(entry.kind === "folder" ? `${entry.path}/` : entry.path)}</code>
        ),
    },
    {
      key: "size",
      title: text.columns.size,
      right: true,
      by: (entry) => entry.size ?? -1,
      show: (entry) => (entry.size === undefined ? "" : bytesText(entry.size)),
    },
    {
      key: "modified",
      title: text.columns.changed,
      tight: true,
      by: (entry) => entry.modified ?? "",
      show: (entry) => (entry.modified === undefined ? "" : timeText(entry.modified, language)),
    },
  ];
  return (
    <>
      <p className={callStyles.quiet} role="status">
        {found.total === 0 ? text.nothing : text.foundNames(found.matches.length, found.total)}
        {found.more && ` · ${text.more}`}
        {found.skipped_sensitive > 0 && ` · ${text.skipped(found.skipped_sensitive)}`}
      </p>
      {found.matches.length > 0 && (
        <Table label={text.names} columns={columns} rows={found.matches} rowKey={(entry) => entry.path} />
      )}
    </>
  );
}
