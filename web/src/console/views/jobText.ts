// The output of a job as the page keeps it: the newest part, joined by stream.
export interface Part {
  stream: string;
  text: string;
}

export interface Output {
  parts: Part[];
  length: number;
  /** Older output was dropped. */
  cut: boolean;
}

const MOST = 200_000;

export function added(output: Output, next: Part, most = MOST): Output {
  const last = output.parts.at(-1);
  const parts =
    last?.stream === next.stream
      ? [...output.parts.slice(0, -1), { ...last, text: last.text + next.text }]
      : [...output.parts, next];
  let { cut } = output;
  let length = output.length + next.text.length;
  while (length > most && parts[0] !== undefined) {
    cut = true;
    const over = length - most;
    const [first] = parts;
    if (first.text.length > over) {
      parts[0] = { ...first, text: first.text.slice(over) };
      length = most;
    } else {
      parts.shift();
      length -= first.text.length;
    }
  }
  return { parts, length, cut };
}
