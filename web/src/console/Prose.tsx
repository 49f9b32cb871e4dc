// A sentence in which what stands between backticks is code.
export function Prose({ children }: { children: string }) {
  return children.split("`").map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
