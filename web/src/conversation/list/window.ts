// Which rows of a long list are drawn, and where the view stands in it. Heights that nobody measured yet are guessed.

const FIRST_GUESS = 140;

export class Heights {
  private readonly known = new Map<string, number>();
  private readonly listeners = new Set<() => void>();
  private sum = 0;
  private news = 0;

  /** Grows with every height that is news. */
  version = (): number => this.news;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Takes what was measured, and tells if any of it is news. */
  measured(heights: Iterable<readonly [string, number]>): void {
    let news = false;
    for (const [key, height] of heights) news = this.set(key, height) || news;
    if (!news) return;
    this.news += 1;
    this.listeners.forEach((listener) => listener());
  }

  private set(key: string, height: number): boolean {
    const before = this.known.get(key);
    if (height <= 0 || (before !== undefined && Math.abs(before - height) < 0.5)) return false;
    this.sum += height - (before ?? 0);
    this.known.set(key, height);
    return true;
  }

  of(key: string): number {
    return this.known.get(key) ?? this.guess;
  }

  private get guess(): number {
    return this.known.size < 3 ? FIRST_GUESS : this.sum / this.known.size;
  }
}

/** The top of each row, and at the end the height of all. */
export function topsOf(keys: readonly string[], heights: Heights): number[] {
  const tops = [0];
  let top = 0;
  for (const key of keys) {
    top += heights.of(key);
    tops.push(top);
  }
  return tops;
}

/** The row at this height. */
export function rowAt(tops: readonly number[], y: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where the view is held: at its end, or at a row that stands so far below its upper edge. */
export type Hold = { at: "end" } | { at: "row"; key: string; offset: number };

export interface Drawn {
  start: number;
  /** Behind the last one. */
  end: number;
  above: number;
  below: number;
}

export function drawn(
  keys: readonly string[],
  heights: Heights,
  hold: Hold,
  view: { height: number; margin: number; footer: number },
): Drawn {
  const tops = topsOf(keys, heights);
  const total = tops.at(-1) ?? 0;
  if (keys.length === 0) return { start: 0, end: 0, above: 0, below: 0 };
  const index = hold.at === "row" ? keys.indexOf(hold.key) : -1;
  const position =
    hold.at === "row" && index >= 0 ? (tops[index] ?? 0) - hold.offset : total + view.footer - view.height;
  const start = rowAt(tops, Math.max(0, position - view.margin));
  const end = Math.min(keys.length, rowAt(tops, Math.max(0, position + view.height + view.margin)) + 1);
  return { start, end, above: tops[start] ?? 0, below: total - (tops[end] ?? total) };
}
