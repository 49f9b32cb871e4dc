// How busy the machine is, live.
import { Alert } from "antd";
import { type ReactNode, useEffect, useState } from "react";

import { openStream, type StreamState } from "../../api/events";
import type { Vitals } from "../../api/types";
import { useLanguage, useText } from "../../i18n";
import { Loading } from "../../shell/Loading";
import { bytesText } from "../../text/bytes";
import callStyles from "../call/call.module.css";
import { spanText } from "../format";
import { useConsoleText } from "../texts";
import { pushed, scaleOf } from "./scaling";
import { Chart } from "./Chart";
import { ViewFrame } from "./ViewFrame";
import styles from "./views.module.css";

/** One every two seconds: five minutes. */
const ROOM = 150;
const MINUTES = 5;

function useVitals(): { history: Vitals[]; state: StreamState } {
  const [history, setHistory] = useState<Vitals[]>([]);
  const [state, setState] = useState<StreamState>("connecting");
  useEffect(() => {
    const stream = openStream({
      path: "vitals/events",
      types: ["vitals"],
      pauseWhenHidden: true,
      onState: setState,
      onEvent: (_, data) => setHistory((before) => pushed(before, data as Vitals, ROOM)),
    });
    return () => stream.close();
  }, []);
  return { history, state };
}

export function VitalsView() {
  const text = useConsoleText().views.vitals;
  const { history, state } = useVitals();
  const now = history.at(-1);
  return (
    <ViewFrame title={useText().shell.navigation.vitals} about={text.about}>
      {state === "lost" && <Alert type="warning" showIcon title={text.lost} />}
      {now === undefined ? state !== "lost" && <Loading /> : <Now now={now} history={history} />}
    </ViewFrame>
  );
}

const percent = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} %`;
const share = (part: { used: number; total: number }) => (part.total > 0 ? (100 * part.used) / part.total : 0);

function Now({ now, history }: { now: Vitals; history: Vitals[] }) {
  const text = useConsoleText().views.vitals;
  const { language } = useLanguage();
  const shared = { room: ROOM, span: text.lastMinutes(MINUTES) };
  const rate = (value: number) => text.perSecond(bytesText(value));
  const sum = (vitals: Vitals, of: "received_per_s" | "sent_per_s") =>
    vitals.network.reduce((total, one) => total + one[of], 0);
  const received = history.map((one) => sum(one, "received_per_s"));
  const sent = history.map((one) => sum(one, "sent_per_s"));
  const full = { top: 100, ticks: [50, 100] };
  const used = text.of(bytesText(now.memory.used), bytesText(now.memory.total));
  return (
    <>
      <p className={callStyles.quiet}>
        {text.uptime} {spanText(now.uptime_s, language)} · {text.load} {now.load.map((one) => one.toFixed(2)).join(" ")} ·{" "}
        {text.cores(now.cpus.length)}
      </p>
      <div className={styles.charts}>
        <Card name={text.cpu} value={percent(now.cpu_percent)}>
          <Chart
            {...shared}
            label={text.chart(text.cpu, percent(now.cpu_percent))}
            scale={full}
            format={percent}
            lines={[{ name: text.cpu, colour: "var(--dh-accent)", values: history.map((one) => one.cpu_percent) }]}
          />
          <div className={styles.cores} role="list" aria-label={text.cores(now.cpus.length)}>
            {now.cpus.map((core, index) => (
              <div key={index} role="listitem" aria-label={`${text.core(index)}: ${percent(core)}`} title={`${text.core(index)}: ${percent(core)}`}>
                <div style={{ height: `${Math.min(100, core)}%` }} />
              </div>
            ))}
          </div>
        </Card>
        <Card name={text.memory} value={percent(share(now.memory))} aside={used}>
          <Chart
            {...shared}
            label={text.chart(text.memory, used)}
            scale={full}
            format={percent}
            lines={[{ name: text.memory, colour: "var(--dh-accent)", values: history.map((one) => share(one.memory)) }]}
          />
          {now.swap.total > 0 && (
            <ul className={styles.bars} style={{ marginTop: 10 }}>
              <Bar name={text.swap} part={now.swap} />
            </ul>
          )}
        </Card>
        <Card name={text.network} value={rate((received.at(-1) ?? 0) + (sent.at(-1) ?? 0))}>
          <Chart
            {...shared}
            label={text.chart(text.network, `${text.received} ${rate(received.at(-1) ?? 0)}, ${text.sent} ${rate(sent.at(-1) ?? 0)}`)}
            scale={scaleOf([received, sent], { base: 1024, least: 1024 })}
            format={rate}
            lines={[
              { name: text.received, colour: "var(--dh-accent)", values: received },
              { name: text.sent, colour: "var(--dh-warn)", values: sent, dashed: true },
            ]}
          />
          <div className={styles.legend}>
            <span>
              <i style={{ borderTopColor: "var(--dh-accent)" }} />
              {text.received} {rate(received.at(-1) ?? 0)}
            </span>
            <span>
              <i style={{ borderTopColor: "var(--dh-warn)", borderTopStyle: "dashed" }} />
              {text.sent} {rate(sent.at(-1) ?? 0)}
            </span>
          </div>
        </Card>
        <Card name={text.disks} value="">
          <ul className={styles.bars}>
            {now.disks.map((disk, index) => (
              <Bar key={`${disk.mount} ${index}`} name={disk.mount} part={disk} />
            ))}
          </ul>
        </Card>
      </div>
    </>
  );
}

interface CardProps {
  name: string;
  value: string;
  aside?: string;
  children: ReactNode;
}

function Card({ name, value, aside, children }: CardProps) {
  return (
    <section className={styles.chartCard}>
      <div className={styles.chartHead}>
        <h2>{name}</h2>
        <span className={styles.chartValue}>{value}</span>
        {aside !== undefined && <span className={callStyles.quiet}>{aside}</span>}
      </div>
      {children}
    </section>
  );
}

/** From here on a disk is nearly full. */
const NEARLY_FULL = 90;

function Bar({ name, part }: { name: string; part: { used: number; total: number } }) {
  const text = useConsoleText().views.vitals;
  const filled = share(part);
  return (
    <li>
      <div className={styles.barTop}>
        <span>{name}</span>
        <span className={callStyles.quiet}>
          {text.of(bytesText(part.used), bytesText(part.total))} · {percent(filled)}
        </span>
      </div>
      <div className={styles.bar} role="meter" aria-label={name} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(filled)}>
        <div className={filled >= NEARLY_FULL ? styles.full : undefined} style={{ width: `${Math.min(100, filled)}%` }} />
      </div>
    </li>
  );
}
