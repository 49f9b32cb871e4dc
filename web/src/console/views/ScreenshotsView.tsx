// Pictures of the server's screen, taken when they are asked for.
import { CameraOutlined } from "@ant-design/icons";
import { Button, Empty } from "antd";
import { useState } from "react";

import type { ExecuteResponse, Image } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { CallDialog } from "../call/CallDialog";
import callStyles from "../call/call.module.css";
import { Images } from "../call/Images";
import { toolCall, useCall } from "../call/useCall";
import { timeText } from "../format";
import { useConsoleText } from "../texts";
import { NeedsTool } from "./NeedsTool";
import { ViewFrame } from "./ViewFrame";

/** How many are kept in the page. */
const KEPT = 10;

interface Shot {
  id: string;
  at: number;
  images: Image[];
}

export function ScreenshotsView() {
  const text = useConsoleText().views.screenshots;
  return (
    <ViewFrame title={useText().shell.navigation.screenshots} about={text.about}>
      <NeedsTool tool="screenshot">
        <Shots />
      </NeedsTool>
    </ViewFrame>
  );
}

function Shots() {
  const text = useConsoleText().views.screenshots;
  const { language } = useLanguage();
  const [shots, setShots] = useState<Shot[]>([]);
  const call = useCall(({ success, outcome }: ExecuteResponse) => {
    if (!success || !outcome) return;
    setShots((before) => [{ id: outcome.call_id, at: Date.now(), images: outcome.images ?? [] }, ...before].slice(0, KEPT));
  });
  // A picture that was taken speaks for itself.
  const isQuiet = call.state.step === "running" || (call.state.step === "ended" && call.state.response.success);
  return (
    <>
      <div className={callStyles.buttons}>
        <Button
          type="primary"
          icon={<CameraOutlined />}
          loading={call.state.step === "running"}
          onClick={() => call.start(toolCall("screenshot", {}))}
        >
          {text.take}
        </Button>
        <span className={callStyles.quiet}>{text.kept}</span>
      </div>
      {shots.length === 0 && <Empty description={text.none} />}
      {shots.map((shot) => (
        <figure key={shot.id} style={{ margin: 0 }}>
          <Images images={shot.images} />
          <figcaption className={callStyles.quiet}>{text.taken(timeText(shot.at, language))}</figcaption>
        </figure>
      ))}
      {!isQuiet && <CallDialog call={call} title={text.take} />}
    </>
  );
}
