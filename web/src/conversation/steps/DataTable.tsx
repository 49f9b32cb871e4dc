// Rows of data as a table.
import { useText } from "../../i18n";
import { visible } from "../../text/visible";
import type { Rows } from "./rows";
import styles from "./steps.module.css";

export function DataTable({ data }: { data: Rows }) {
  const words = useText().conversation.step;
  return (
    <div className={styles.dataTable} tabIndex={0} role="group" aria-label={words.table}>
      <table>
        <thead>
          <tr>
            {data.columns.map((column) => (
              <th key={column} scope="col">
                {visible(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>{visible(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {data.rows.length < data.total && <p className={styles.faint}>{words.moreRows(data.total - data.rows.length)}</p>}
    </div>
  );
}
