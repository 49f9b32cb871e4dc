// JSON as a tree that opens where one looks. What is closed is not drawn, so its size does not matter.
import { Button } from "antd";
import { useState } from "react";

import type { Json } from "../../api/types";
import { useConsoleText } from "../texts";
import styles from "./data.module.css";

const AT_ONCE = 100;
const OPEN_UP_TO = 12;

export function DataTree({ data }: { data: Json }) {
  return (
    <div className={styles.tree}>
      <Node data={data} depth={0} />
    </div>
  );
}

function Node({ name, data, depth }: { name?: string; data: Json; depth: number }) {
  const text = useConsoleText().call;
  const children = childrenOf(data);
  const [open, setOpen] = useState(depth === 0 || (depth < 3 && children !== null && children.length <= OPEN_UP_TO));
  const [shown, setShown] = useState(AT_ONCE);
  const label = name !== undefined && <span className={styles.key}>{name}: </span>;
  if (children === null || children.length === 0) {
    return (
      <div className={styles.leaf}>
        {label}
        <span className={typeof data === "string" ? undefined : styles.other}>
          {typeof data === "string" ? data : JSON.stringify(data)}
        </span>
      </div>
    );
  }
  const size = Array.isArray(data) ? text.items(children.length) : text.fields(children.length);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <small>{size}</small>
      </summary>
      {open && (
        <div>
          {children.slice(0, shown).map(([key, child]) => (
            <Node key={key} name={key} data={child} depth={depth + 1} />
          ))}
          {children.length > shown && (
            <Button size="small" type="link" onClick={() => setShown(shown + AT_ONCE)}>
              {text.more(Math.min(AT_ONCE, children.length - shown))}
            </Button>
          )}
        </div>
      )}
    </details>
  );
}

function childrenOf(data: Json): [string, Json][] | null {
  return typeof data === "object" && data !== null ? Object.entries(data) : null;
}
