import { expect, test } from "vitest";

import type { ToolCallRow, UndoableChange } from "../../api/types";
import { changesOfTurn } from "./turns";

const call = (call_id: string, turn_id: string) => ({ call_id, turn_id }) as ToolCallRow;
const change = (call_id: string, undone_by?: string) =>
  ({ call_id, ...(undone_by === undefined ? {} : { undone_by }) }) as UndoableChange;

test("the changes of a turn are those of its calls that are still in effect", () => {
  const calls = [call("a", "t1"), call("b", "t1"), call("c", "t1"), call("d", "t2")];
  const all = [change("a"), change("b", "u"), change("d"), change("elsewhere")];
  expect(changesOfTurn("a", calls, all)).toEqual({ turn: "t1", changes: [change("a")] });
  expect(changesOfTurn("elsewhere", calls, all)).toBeNull();
});
