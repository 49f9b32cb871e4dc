// A place where something was found, with each hit marked. The server puts hits between ⟪ and ⟫.
import { visible } from "../text/visible";

export interface Piece {
  text: string;
  hit: boolean;
}

export function piecesOf(snippet: string): Piece[] {
  const pieces: Piece[] = [];
  for (const [index, part] of snippet.split("⟪").entries()) {
    if (index === 0) {
      pieces.push({ text: part, hit: false });
      continue;
    }
    const end = part.indexOf("⟫");
    if (end < 0) {
      pieces.push({ text: part, hit: true });
    } else {
      pieces.push({ text: part.slice(0, end), hit: true }, { text: part.slice(end + 1), hit: false });
    }
  }
  return pieces.filter(({ text }) => text !== "");
}

export function Snippet({ text }: { text: string }) {
  return <>{piecesOf(visible(text)).map((piece, index) => (piece.hit ? <mark key={index}>{piece.text}</mark> : piece.text))}</>;
}
