// What a background job prints, as it prints it.
import { useQueryClient } from "@tanstack/react-query";
import { Alert } from "antd";
import { useEffect, useRef, useState } from "react";

import { openStream } from "../../api/events";
import { keys } from "../../api/keys";
import { withoutEscapes } from "../../conversation/steps/ansi";
import { visible } from "../../text/visible";
import callStyles from "../call/call.module.css";
import { useConsoleText } from "../texts";
import { jobStatus } from "./JobsView";
import { added, type Output } from "./jobText";
import styles from "./views.module.css";

interface End {
  status: string;
  exit_code: number | null;
}

const NOTHING: Output = { parts: [], length: 0, cut: false };

export function JobOutput({ id }: { id: string }) {
  const text = useConsoleText().views.jobs;
  const client = useQueryClient();
  const [output, setOutput] = useState<Output>(NOTHING);
  const [end, setEnd] = useState<End | null>(null);
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);

  useEffect(() => {
    const stream = openStream({
      path: `processes/${encodeURIComponent(id)}/output`,
      pauseWhenHidden: true,
      types: ["output", "end"],
      onState: (state) => {
        // Every connection tells the output from its beginning.
        if (state === "open") setOutput(NOTHING);
      },
      onEvent: (type, data) => {
        if (type === "output") {
          const part = data as { stream: string; text: string };
          setOutput((before) => added(before, part));
          return;
        }
        setEnd(data as End);
        stream.close();
        void client.invalidateQueries({ queryKey: keys.processes });
      },
    });
    return () => stream.close();
  }, [id, client]);

  useEffect(() => {
    if (follows.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [output]);

  return (
    <>
      {output.cut && <span className={callStyles.quiet}>{text.cut}</span>}
      <pre
        ref={box}
        className={`${callStyles.pre ?? ""} ${styles.terminal ?? ""}`}
        tabIndex={0}
        aria-label={text.output}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          follows.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        {output.parts.length === 0
          ? text.noOutput
          : output.parts.map((part, index) => (
              <span key={index} className={part.stream === "stderr" ? styles.stderr : undefined}>
                {visible(withoutEscapes(part.text))}
              </span>
            ))}
      </pre>
      {end !== null && <Alert type={end.exit_code === 0 ? "success" : "info"} title={text.over(jobStatus(end, text))} />}
    </>
  );
}
