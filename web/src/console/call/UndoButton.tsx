// Takes one call back.
import { UndoOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";

import { keys } from "../../api/keys";
import { useConsoleText } from "../texts";
import { CallDialog } from "./CallDialog";
import { undoCall } from "./undoCall";
import { useCall } from "./useCall";

interface Props {
  callId: string;
  /** The conversation that made the change. */
  sessionId?: string | undefined;
  label?: string;
}

export function UndoButton({ callId, sessionId, label }: Props) {
  const text = useConsoleText().call;
  const client = useQueryClient();
  const call = useCall(() => void client.invalidateQueries({ queryKey: keys.undo }));
  return (
    <>
      <Button
        size="small"
        icon={<UndoOutlined />}
        loading={call.state.step === "running"}
        onClick={() => call.start(undoCall(callId, sessionId))}
      >
        {label ?? text.takeBack}
      </Button>
      <CallDialog call={call} title={label ?? text.takeBack} yes={label ?? text.takeBack} />
    </>
  );
}
