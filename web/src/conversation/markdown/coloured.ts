// What the colourer wrote, read back as text with classes. What is not one of its own marks stays text.

export interface Coloured {
  text: string;
  /** The innermost kind of the text, such as `hljs-keyword`. */
  className: string | null;
}

const MARK = /<span class="([\w\s-]*)">|<\/span>/g;
const ENTITY: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'" };

export function colouredOf(written: string): Coloured[] {
  const pieces: Coloured[] = [];
  const open: string[] = [];
  let from = 0;
  const push = (end: number) => {
    if (end <= from) return;
    const text = written.slice(from, end).replace(/&(?:lt|gt|amp|quot|#x27);/g, (entity) => ENTITY[entity] ?? entity);
    pieces.push({ text, className: open.at(-1) ?? null });
  };
  for (const mark of written.matchAll(MARK)) {
    push(mark.index);
    if (mark[1] === undefined) open.pop();
    else open.push(mark[1]);
    from = mark.index + mark[0].length;
  }
  push(written.length);
  return pieces;
}
