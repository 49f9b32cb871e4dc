// The numbers behind a chart: where its top is, which lines it draws, where each point lies.

/** Values over time, oldest first; `null` where nothing was measured. */
export type Series = readonly (number | null)[];

export interface Scale {
  top: number;
  /** Where lines are drawn, without 0. */
  ticks: number[];
}

/** The largest value rounded up to 1, 2, 2.5 or 5 times a power of the base. */
export function niceTop(largest: number, base: 10 | 1024 = 10): number {
  if (!(largest > 0)) return 1;
  if (base === 1024) {
    const unit = 1024 ** Math.max(0, Math.floor(Math.log(largest) / Math.log(1024)));
    return niceTop(largest / unit) * unit;
  }
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= largest * (1 - 1e-9)) ?? 10;
  return step * power;
}

export function scaleOf(series: readonly Series[], options: { top?: number; base?: 10 | 1024; least?: number } = {}): Scale {
  const values = series.flat().filter((value) => value !== null);
  const largest = values.reduce((most, value) => Math.max(most, value), options.least ?? 0);
  const top = options.top ?? niceTop(largest, options.base);
  return { top, ticks: [top / 2, top] };
}

export interface Point {
  x: number;
  y: number;
}

/** In a box of 1 by 1, y down. The newest value is always at the right; a short history starts further in. */
export function pointsOf(series: Series, room: number, top: number): Point[][] {
  const steps = Math.max(1, room - 1);
  const shift = room - series.length;
  const runs: Point[][] = [[]];
  series.forEach((value, index) => {
    if (value === null) {
      runs.push([]);
      return;
    }
    const y = 1 - Math.min(1, Math.max(0, value / top));
    runs.at(-1)?.push({ x: (index + shift) / steps, y });
  });
  return runs.filter((run) => run.length > 0);
}

/** Which value stands at this part (0 to 1) of the width; `null` where there is none. */
export function indexAt(part: number, length: number, room: number): number | null {
  const index = Math.round(part * Math.max(1, room - 1)) - (room - length);
  return index >= 0 && index < length ? index : null;
}

/** The newest `room` values with one more. */
export function pushed<T>(history: readonly T[], next: T, room: number): T[] {
  return [...history, next].slice(-room);
}
