// A light chart: lines over time in one SVG, drawn by hand. Numbers and units stand beside it as text.
import { type PointerEvent, useState } from "react";

import { useConsoleText } from "../texts";
import { indexAt, pointsOf, type Scale, type Series } from "./scaling";
import styles from "./views.module.css";

export interface Line {
  name: string;
  colour: string;
  values: Series;
  /** So that two lines differ without their colour, too. */
  dashed?: boolean;
}

interface Props {
  label: string;
  lines: readonly Line[];
  scale: Scale;
  /** How many values fit. */
  room: number;
  /** What the whole width stands for. */
  span: string;
  format: (value: number) => string;
}

const SIZE = 100;

export function Chart({ label, lines, scale, room, span, format }: Props) {
  const text = useConsoleText().views.vitals;
  const [at, setAt] = useState<number | null>(null);
  const length = lines[0]?.values.length ?? 0;
  const index = at === null ? null : indexAt(at, length, room);
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    setAt(box.width > 0 ? (event.clientX - box.left) / box.width : null);
  };
  const shown = index === null ? "" : lines.map((line) => valueText(line.values[index], format)).join(" · ");
  return (
    <div>
      <div className={styles.plot} onPointerMove={move} onPointerLeave={() => setAt(null)}>
        <svg viewBox={`0 0 ${SIZE} ${SIZE}`} preserveAspectRatio="none" role="img" aria-label={label}>
          {[0, ...scale.ticks].map((tick) => (
            <line
              key={tick}
              x1={0}
              x2={SIZE}
              y1={SIZE * (1 - tick / scale.top)}
              y2={SIZE * (1 - tick / scale.top)}
              stroke="var(--dh-line)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {lines.map((line) => (
            <LinePath key={line.name} line={line} room={room} top={scale.top} filled={lines.length === 1} />
          ))}
          {index !== null && at !== null && (
            <line x1={at * SIZE} x2={at * SIZE} y1={0} y2={SIZE} stroke="var(--dh-text-faint)" vectorEffect="non-scaling-stroke" />
          )}
        </svg>
        {scale.ticks.map((tick) => (
          <span key={tick} className={styles.tick} style={{ top: `${100 * (1 - tick / scale.top)}%` }} aria-hidden>
            {format(tick)}
          </span>
        ))}
        {index !== null && at !== null && (
          <span className={styles.hover} style={{ left: `${Math.min(85, Math.max(15, at * 100))}%` }} aria-hidden>
            {shown}
          </span>
        )}
      </div>
      <div className={styles.axis} aria-hidden>
        <span>{span}</span>
        <span>{text.now}</span>
      </div>
    </div>
  );
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "–" : format(value);
}

function LinePath({ line, room, top, filled }: { line: Line; room: number; top: number; filled: boolean }) {
  return pointsOf(line.values, room, top).map((run, index) => {
    const path = run.map(({ x, y }, place) => `${place === 0 ? "M" : "L"}${(x * SIZE).toFixed(2)} ${(y * SIZE).toFixed(2)}`).join("");
    const first = run[0]?.x ?? 0;
    const last = run.at(-1)?.x ?? 0;
    return (
      <g key={index}>
        {filled && (
          <path d={`${path}L${(last * SIZE).toFixed(2)} ${SIZE}L${(first * SIZE).toFixed(2)} ${SIZE}Z`} fill={line.colour} opacity={0.12} />
        )}
        <path
          d={path}
          fill="none"
          stroke={line.colour}
          strokeWidth={1.75}
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
          {...(line.dashed ? { strokeDasharray: "5 4" } : {})}
        />
      </g>
    );
  });
}
