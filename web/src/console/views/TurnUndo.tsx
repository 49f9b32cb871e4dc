// Takes back all that the turn of a change did, after showing what that is.
import { useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Modal } from "antd";
import { useState } from "react";

import { api } from "../../api/client";
import { keys } from "../../api/keys";
import type { Outcome, ToolCallRow, UndoableChange } from "../../api/types";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import { useConsoleText } from "../texts";
import { changesOfTurn } from "./turns";

type State =
  | { step: "closed" }
  | { step: "looking" }
  | { step: "asking"; turn: string; changes: UndoableChange[] }
  | { step: "none" }
  | { step: "doing" }
  | { step: "done"; undone: Outcome[] }
  | { step: "failed"; error: unknown };

const CALLS = 200;

export function TurnUndo({ change, all }: { change: UndoableChange; all: readonly UndoableChange[] }) {
  const texts = useConsoleText();
  const text = texts.oversight.undo;
  const client = useQueryClient();
  const [state, setState] = useState<State>({ step: "closed" });
  const look = async () => {
    setState({ step: "looking" });
    try {
      const path = `sessions/${encodeURIComponent(change.session_id)}/calls`;
      const { calls } = await api.get<{ calls: ToolCallRow[] }>(path, { query: { page_size: CALLS } });
      const found = changesOfTurn(change.call_id, calls, all);
      setState(found === null ? { step: "none" } : { step: "asking", ...found });
    } catch (error) {
      setState({ step: "failed", error });
    }
  };
  const takeBack = async (turn: string) => {
    setState({ step: "doing" });
    try {
      const { undone } = await api.post<{ undone: Outcome[] }>(`undo/turns/${encodeURIComponent(turn)}`, {}, { timeout: 1_800_000 });
      setState({ step: "done", undone });
      await client.invalidateQueries({ queryKey: keys.undo });
    } catch (error) {
      setState({ step: "failed", error });
    }
  };
  const close = () => setState({ step: "closed" });
  return (
    <>
      <Button size="small" type="text" onClick={() => void look()}>
        {text.wholeTurn}
      </Button>
      <Modal
        open={state.step !== "closed"}
        title={text.turnTitle}
        onCancel={close}
        footer={
          state.step === "asking" ? (
            <>
              <Button onClick={close}>{texts.call.no}</Button>
              <Button type="primary" onClick={() => void takeBack(state.turn)}>
                {text.wholeTurn}
              </Button>
            </>
          ) : (
            <Button type="primary" onClick={close}>
              {texts.call.close}
            </Button>
          )
        }
      >
        {(state.step === "looking" || state.step === "doing") && <Loading />}
        {state.step === "asking" && (
          <ul>
            {state.changes.map((one) => (
              <li key={one.call_id}>
                <code>{one.tool}</code> {visible(one.summary)}
              </li>
            ))}
          </ul>
        )}
        {state.step === "none" && <Alert type="info" title={text.turnNone} />}
        {state.step === "failed" && <Problem error={state.error} />}
        {state.step === "done" && <Done undone={state.undone} />}
      </Modal>
    </>
  );
}

function Done({ undone }: { undone: Outcome[] }) {
  const text = useConsoleText().oversight.undo;
  const good = undone.filter((one) => one.status === "success");
  const bad = undone.filter((one) => one.status !== "success");
  return (
    <>
      <Alert type="success" title={text.turnDone(good.length)} description={good.map((one) => <div key={one.call_id}>{one.text}</div>)} />
      {bad.map((one) => (
        <Alert key={one.call_id} type="error" title={one.error?.message ?? one.text} description={one.error?.hint ?? undefined} />
      ))}
    </>
  );
}
