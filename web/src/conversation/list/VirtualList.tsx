// A list that opens at its end, stays there while it grows, and keeps its place when something above changes.
// Only the rows around the view are drawn.
import { DownOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { type ReactNode, type Ref, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

import styles from "./list.module.css";
import { drawn, Heights, type Hold, rowAt, topsOf } from "./window";

const MARGIN = 800;
const NEAR_TOP = 600;
/** So close to the end counts as the end. */
const NEAR_END = 30;
const AWAY_FROM_END = 60;

export interface ListHandle {
  toEnd: () => void;
  toRow: (key: string) => void;
}

interface Props<Row extends { key: string }> {
  rows: readonly Row[];
  draw: (row: Row) => ReactNode;
  /** Always drawn, below the last row. */
  footer?: ReactNode;
  /** Always drawn, above the first row. */
  header?: ReactNode;
  onNearTop?: () => void;
  label: string;
  toEndLabel: string;
  ref?: Ref<ListHandle>;
}

export function VirtualList<Row extends { key: string }>({ rows, draw, footer, header, onNearTop, label, toEndLabel, ref }: Props<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  const [heights] = useState(() => new Heights());
  useSyncExternalStore(heights.subscribe, heights.version);
  const [hold, setHold] = useState<Hold>({ at: "end" });
  const [view, setView] = useState({ height: 800, footer: 0 });
  const [far, setFar] = useState(false);
  const lastTop = useRef(0);
  const keys = rows.map((row) => row.key);
  const part = drawn(keys, heights, hold, { ...view, margin: MARGIN });

  const measure = useCallback(() => {
    heights.measured(
      [...(list.current?.children ?? [])].map((row) => [(row as HTMLElement).dataset.key ?? "", row.getBoundingClientRect().height] as const),
    );
  }, [heights]);

  const settle = useCallback((where: Hold) => {
    const box = scroller.current;
    const rowsBox = list.current;
    if (box === null || rowsBox === null) return;
    if (where.at === "end") {
      box.scrollTop = box.scrollHeight;
    } else {
      const row = rowsBox.querySelector<HTMLElement>(`:scope > [data-key="${CSS.escape(where.key)}"]`);
      if (row === null) return;
      const off = row.getBoundingClientRect().top - box.getBoundingClientRect().top - where.offset;
      if (Math.abs(off) >= 1) box.scrollTop += off;
    }
    lastTop.current = box.scrollTop;
  }, []);

  // Before the browser paints: what was just drawn is measured, and the view is put where it is held.
  useLayoutEffect(() => {
    measure();
    settle(hold);
  });

  // What grows by itself (pictures, what is being written, the window).
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const observer = new ResizeObserver(() => {
      const next = { height: box.clientHeight, footer: foot.current?.offsetHeight ?? 0 };
      setView((before) => (before.height === next.height && before.footer === next.footer ? before : next));
      measure();
      setHold((now) => {
        settle(now);
        return now;
      });
      setFar(leftBelow(box) > AWAY_FROM_END);
    });
    observer.observe(box);
    if (list.current) observer.observe(list.current);
    if (foot.current) observer.observe(foot.current);
    return () => observer.disconnect();
  }, [measure, settle]);

  const onScroll = () => {
    const box = scroller.current;
    if (box === null) return;
    const top = box.scrollTop;
    const down = top >= lastTop.current;
    lastTop.current = top;
    const left = leftBelow(box);
    setFar(left > AWAY_FROM_END);
    if (top < NEAR_TOP) onNearTop?.();
    if ((hold.at === "end" && left < AWAY_FROM_END) || (down && left < NEAR_END)) {
      if (hold.at !== "end") setHold({ at: "end" });
      return;
    }
    setHold(holdAt(box, list.current, keys, heights));
  };
  const release = () => {
    const box = scroller.current;
    if (box !== null && hold.at === "end") setHold(holdAt(box, list.current, keys, heights));
  };

  useImperativeHandle(ref, () => ({
    toEnd: () => setHold({ at: "end" }),
    toRow: (key) => setHold({ at: "row", key, offset: 80 }),
  }));

  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        onScroll={onScroll}
        onWheel={(event) => {
          const box = event.currentTarget;
          if (event.deltaY < 0 && box.scrollHeight > box.clientHeight) release();
        }}
        // What is unfolded opens downwards, under the pointer.
        onClickCapture={(event) => {
          if (event.target instanceof Element && event.target.closest("[aria-expanded]") !== null) release();
        }}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={label}
      >
        {header}
        <div style={{ height: part.above }} />
        <div ref={list} className={styles.rows}>
          {rows.slice(part.start, part.end).map((row) => (
            <div key={row.key} data-key={row.key} className={styles.row}>
              {draw(row)}
            </div>
          ))}
        </div>
        <div style={{ height: part.below }} />
        <div ref={foot}>{footer}</div>
      </div>
      {hold.at !== "end" && far && (
        <Button className={styles.toEnd} shape="round" icon={<DownOutlined />} onClick={() => setHold({ at: "end" })}>
          {toEndLabel}
        </Button>
      )}
    </div>
  );
}

function leftBelow(box: HTMLElement): number {
  return box.scrollHeight - box.scrollTop - box.clientHeight;
}

/** The row at the upper edge: the real one where it is drawn, else the one that should be there. */
function holdAt(box: HTMLElement, rows: HTMLElement | null, keys: readonly string[], heights: Heights): Hold {
  const edge = box.getBoundingClientRect().top;
  for (const element of rows?.children ?? []) {
    const rect = element.getBoundingClientRect();
    const { key } = (element as HTMLElement).dataset;
    if (key !== undefined && rect.bottom > edge && rect.top < edge + box.clientHeight) {
      return { at: "row", key, offset: rect.top - edge };
    }
  }
  const tops = topsOf(keys, heights);
  const start = (rows?.offsetTop ?? 0) - (tops[keys.indexOf(firstKey(rows))] ?? 0);
  const y = box.scrollTop - start;
  const index = rowAt(tops, Math.max(0, y));
  const key = keys[index];
  return key === undefined ? { at: "end" } : { at: "row", key, offset: (tops[index] ?? 0) - y };
}

function firstKey(rows: HTMLElement | null): string {
  return (rows?.firstElementChild as HTMLElement | null | undefined)?.dataset.key ?? "";
}
