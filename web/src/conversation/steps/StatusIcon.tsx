// How a call stands, as a sign with words for those who do not see it.
import {
  CheckCircleFilled,
  ClockCircleFilled,
  CloseCircleFilled,
  LoadingOutlined,
  MinusCircleFilled,
  QuestionCircleFilled,
  StopFilled,
} from "@ant-design/icons";

import type { Status } from "../../api/types";
import { useText } from "../../i18n";
import styles from "./steps.module.css";

export type Standing = Status | "running" | "waiting";

const ICONS: Record<Standing, { Icon: typeof StopFilled; tone: string }> = {
  running: { Icon: LoadingOutlined, tone: "accent" },
  waiting: { Icon: QuestionCircleFilled, tone: "warn" },
  success: { Icon: CheckCircleFilled, tone: "good" },
  not_found: { Icon: CloseCircleFilled, tone: "bad" },
  invalid_arguments: { Icon: CloseCircleFilled, tone: "bad" },
  blocked: { Icon: StopFilled, tone: "bad" },
  execution_rejected: { Icon: MinusCircleFilled, tone: "warn" },
  expired: { Icon: ClockCircleFilled, tone: "warn" },
  nobody_to_ask: { Icon: StopFilled, tone: "warn" },
  error: { Icon: CloseCircleFilled, tone: "bad" },
  timed_out: { Icon: ClockCircleFilled, tone: "bad" },
  cancelled: { Icon: MinusCircleFilled, tone: "faint" },
  result_rejected: { Icon: MinusCircleFilled, tone: "warn" },
};

export function StatusIcon({ standing }: { standing: Standing }) {
  const words = useText().conversation.status;
  const { Icon, tone } = ICONS[standing];
  return <Icon className={styles.status} data-tone={tone} role="img" aria-label={words[standing]} title={words[standing]} />;
}
