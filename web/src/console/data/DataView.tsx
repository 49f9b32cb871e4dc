// The data of a result: as a table where there is one in it, as a tree, or as it is.
import { Segmented } from "antd";
import { useState } from "react";

import type { Json } from "../../api/types";
import callStyles from "../call/call.module.css";
import type { Fields } from "../schema/schema";
import { useConsoleText } from "../texts";
import styles from "./data.module.css";
import { DataTree } from "./DataTree";
import { cellText, findRows, type Rows } from "./rows";
import { type Column, Table } from "./Table";

type Way = "table" | "tree" | "json";

const MOST_ROWS = 300;
const MOST_JSON = 200_000;

export function DataView({ data }: { data: Json }) {
  const text = useConsoleText().call;
  const rows = findRows(data);
  const [chosen, setChosen] = useState<Way | null>(null);
  const way = chosen === "table" && rows === null ? "tree" : (chosen ?? (rows === null ? "tree" : "table"));
  const ways: Way[] = rows === null ? ["tree", "json"] : ["table", "tree", "json"];
  return (
    <div>
      <Segmented<Way>
        size="small"
        value={way}
        aria-label={text.data}
        options={ways.map((value) => ({ value, label: text[value] }))}
        onChange={setChosen}
        style={{ marginBottom: 8 }}
      />
      {way === "table" && rows !== null && <RowsTable found={rows} />}
      {way === "tree" && <DataTree data={data} />}
      {way === "json" && (
        <pre className={callStyles.pre} tabIndex={0}>
          {JSON.stringify(data, null, 2).slice(0, MOST_JSON)}
        </pre>
      )}
    </div>
  );
}

export function RowsTable({ found }: { found: Rows }) {
  const text = useConsoleText().call;
  const columns: Column<Fields>[] = found.columns.map((name) => ({
    key: name,
    title: name,
    show: (row) => <span className={styles.cell}>{cellText(row[name])}</span>,
    by: (row) => {
      const value = row[name];
      return typeof value === "number" ? value : cellText(value);
    },
    right: found.rows.every((row) => typeof row[name] === "number"),
  }));
  return (
    <>
      <Table label={found.name || text.table} columns={columns} rows={found.rows.slice(0, MOST_ROWS)} rowKey={(_, index) => String(index)} />
      {found.rows.length > MOST_ROWS && <p className={styles.note}>{text.rowsShown(MOST_ROWS, found.rows.length)}</p>}
    </>
  );
}
