// Takes one call back.
import { UndoOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";

import { keys } from "../../api/keys";
import { useConsoleText } from "../texts";
import { CallDialog } from "./CallDialog";
import { undoCall } from "./undoCall";
import { useCall } from "./useCall";

export function UndoButton({ callId, label }: { callId: string; label?: string }) {
  const text = useConsoleText().call;
  const client = useQueryClient();
  const call = useCall(() => void client.invalidateQueries({ queryKey: keys.undo }));
  return (
    <>
      <Button
        size="small"
        icon={<UndoOutlined />}
        loading={call.state.step === "running"}
        onClick={() => call.start(undoCall(callId))}
      >
        {label ?? text.takeBack}
      </Button>
      <CallDialog call={call} title={label ?? text.takeBack} yes={label ?? text.takeBack} />
    </>
  );
}
