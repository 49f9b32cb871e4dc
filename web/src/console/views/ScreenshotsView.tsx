// Pictures of the server's screen, taken when they are asked for.
import { CameraOutlined } from "@ant-design/icons";
import { Button, Empty } from "antd";
import { useState } from "react";

import type { ExecuteResponse, Image, Json } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { visible } from "../../text/visible";
import { CallDialog } from "../call/CallDialog";
import callStyles from "../call/call.module.css";
import { Images } from "../call/Images";
import { toolCall, useCall } from "../call/useCall";
import { timeText } from "../format";
import { useConsoleText } from "../texts";
import { Waiting } from "../tools/Waiting";
import { NeedsTool } from "./NeedsTool";
import { ViewFrame } from "./ViewFrame";

/** How many are shown. */
const KEPT = 10;

/** The whole screen. */
const PARAMETERS = {};

interface Shot {
  id: string;
  at: number;
  path: string;
  images: Image[];
}

/** Where the picture was saved. */
function pathOf(data: Json): string {
  return data !== null && typeof data === "object" && !Array.isArray(data) && typeof data.path === "string" ? data.path : "";
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
    const shot = { id: outcome.call_id, at: Date.now(), path: pathOf(outcome.data), images: outcome.images ?? [] };
    setShots((before) => [shot, ...before].slice(0, KEPT));
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
          onClick={() => call.start(toolCall("screenshot", PARAMETERS))}
        >
          {text.take}
        </Button>
        <span className={callStyles.quiet}>{text.kept}</span>
      </div>
      {call.state.step === "running" && <Waiting tool="screenshot" parameters={PARAMETERS} />}
      {shots.length === 0 && <Empty description={text.none} />}
      {shots.map((shot) => (
        <figure key={shot.id} style={{ margin: 0 }}>
          <Images images={shot.images} />
          <figcaption className={callStyles.quiet}>{text.taken(timeText(shot.at, language), visible(shot.path))}</figcaption>
        </figure>
      ))}
      {!isQuiet && <CallDialog call={call} title={text.take} />}
    </>
  );
}
