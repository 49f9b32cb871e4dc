// Says what is new to those who do not see it: whole answers and questions, not every piece of a text.
import { useText } from "../i18n";
import { pendingOf, saidIn, type TurnView } from "./view";

const LONGEST = 600;

export function Announcer({ turn }: { turn: TurnView | null }) {
  const words = useText().conversation;
  return (
    <div className="dh-hidden" aria-live="polite" aria-atomic>
      {turn === null ? "" : announced(turn, words.turn.working, words.approval.waiting)}
    </div>
  );
}

export function announced(turn: TurnView, working: string, waiting: (tool: string) => string): string {
  if (turn.outcome !== null) return saidIn(turn).slice(0, LONGEST);
  const call = turn.items.find((item) => item.kind === "call" && pendingOf(item) !== null);
  if (call?.kind === "call") return waiting(call.tool);
  // A finished part of an answer, read once.
  const said = turn.items.findLast((item) => item.kind === "text" && !item.open);
  return said?.kind === "text" ? said.text.slice(0, LONGEST) : working;
}
