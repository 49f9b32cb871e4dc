// A table that can be sorted by its heads, scrolls where there is room and becomes cards on a phone.
import { type ReactNode, useState } from "react";

import styles from "./data.module.css";

export interface Column<Row> {
  key: string;
  title: string;
  show: (row: Row) => ReactNode;
  /** What to sort by; without it the column cannot be sorted. */
  by?: (row: Row) => string | number;
  right?: boolean;
  tight?: boolean;
}

export interface Sorting {
  key: string;
  down: boolean;
}

interface Props<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  first?: Sorting;
  empty?: ReactNode;
}

export function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting | undefined): Row[] {
  const by = columns.find((column) => column.key === sorting?.key)?.by;
  if (sorting === undefined || by === undefined) return [...rows];
  const sign = sorting.down ? -1 : 1;
  return rows.toSorted((a, b) => sign * compared(by(a), by(b)));
}

function compared(one: string | number, other: string | number): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true, sensitivity: "base" });
}

export function Table<Row>({ label, columns, rows, rowKey, first, empty }: Props<Row>) {
  const [sorting, setSorting] = useState(first);
  const toggle = (column: Column<Row>, sample: Row | undefined) => {
    if (sorting?.key === column.key) {
      setSorting({ key: column.key, down: !sorting.down });
      return;
    }
    // Of numbers the largest are wanted first, of names the first of the alphabet.
    setSorting({ key: column.key, down: sample !== undefined && typeof column.by?.(sample) === "number" });
  };
  const cellClass = (column: Column<Row>) =>
    [column.right && styles.right, column.tight && styles.tight].filter(Boolean).join(" ") || undefined;
  // The roles stand here because rows that are laid out as cards would lose them.
  return (
    <div className={`${styles.scroll ?? ""} ${styles.cards ?? ""}`} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.key}
                role="columnheader"
                scope="col"
                className={cellClass(column)}
                aria-sort={sorting?.key === column.key ? (sorting.down ? "descending" : "ascending") : undefined}
              >
                {column.by === undefined ? (
                  column.title
                ) : (
                  <button type="button" className={styles.sort} onClick={() => toggle(column, rows[0])}>
                    {column.title}
                    <span className={styles.arrow} aria-hidden>
                      {sorting?.key === column.key ? (sorting.down ? "↓" : "↑") : ""}
                    </span>
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sorted(rows, columns, sorting).map((row, index) => (
            <tr key={rowKey(row, index)} role="row">
              {columns.map((column) => (
                <td key={column.key} role="cell" data-label={column.title} className={cellClass(column)}>
                  {column.show(row)}
                </td>
              ))}
            </tr>
          ))}
          {rows.length === 0 && empty !== undefined && (
            <tr role="row">
              <td role="cell" data-label="" colSpan={columns.length}>
                {empty}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
