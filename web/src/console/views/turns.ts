// Which changes one turn made, from the calls of its session.
import type { ToolCallRow, UndoableChange } from "../../api/types";

export interface TurnChanges {
  turn: string;
  changes: UndoableChange[];
}

/** `null`: the call belongs to no turn. Changes that were taken back already are left out. */
export function changesOfTurn(
  callId: string,
  calls: readonly ToolCallRow[],
  all: readonly UndoableChange[],
): TurnChanges | null {
  const turn = calls.find((call) => call.call_id === callId)?.turn_id;
  if (turn === undefined || turn === "") return null;
  const inTurn = new Set(calls.filter((call) => call.turn_id === turn).map((call) => call.call_id));
  return { turn, changes: all.filter((one) => inTurn.has(one.call_id) && one.undone_by === undefined) };
}
