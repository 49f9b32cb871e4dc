// A command has run: are its changes kept? The list, the diff, and the answers there are.
import { Button } from "antd";
import { useMemo, useState } from "react";

import type { ApprovalRequest, ChangeSummary, Plan, Remember } from "../../api/types";
import { useText } from "../../i18n";
import { Problem } from "../../shell/Problem";
import { useKept } from "../../text/kept";
import { visible } from "../../text/visible";
import { ChangeList } from "../changes/ChangeList";
import { Diff } from "../steps/Diff";
import { diffLines } from "../steps/diff";
import { ExactText } from "../steps/ExactText";
import { commandIn } from "../steps/gist";
import { PermissionTag, PlanNotes } from "../steps/PlanWords";
import { Key } from "./ApprovalCard";
import styles from "./approval.module.css";
import { Deny } from "./Deny";
import { RememberChoice } from "./Remember";
import { SettledLine } from "./SettledLine";
import { useAnswer, wasAnsweredElsewhere } from "./useAnswer";
import { useShortcuts } from "./useShortcuts";

type Part = "choose" | "remember" | "discard";

interface Props {
  request: ApprovalRequest;
  plan: Plan;
  changes: ChangeSummary;
}

export function ChangesQuestion({ request, plan, changes }: Props) {
  const texts = useText().conversation;
  const words = texts.changes;
  const { answer, busy, error, settled } = useAnswer(request.id);
  const [part, keepPart] = useKept<Part>(request.id, "part", "choose");
  // A part that is only drawn again must not take the focus from where the person writes.
  const [opened, setOpened] = useState(false);
  const setPart = (next: Part) => {
    setOpened(true);
    keepPart(next);
  };
  const shapes = plan.shapes ?? [];
  const first = shapes[0];
  const [remember, setRemember] = useKept<Remember | null>(
    request.id,
    "remember",
    first === undefined ? null : { scope: "session", shape: first, until: null },
  );
  const keep = () => answer({ answer: "yes" });
  useShortcuts(request.id, part === "choose" ? { k: keep, d: () => setPart("discard") } : {}, settled === null && !busy);
  if (settled !== null) return <SettledLine settled={settled} elsewhere={wasAnsweredElsewhere(request.id)} changes />;
  const mayRemember = request.may_remember && remember !== null;
  return (
    <>
      <Changed request={request} plan={plan} changes={changes} />
      {error !== null && <Problem error={error} />}
      {part === "choose" && (
        <>
          <div className={styles.buttons}>
            <Button type="primary" loading={busy} onClick={keep} aria-keyshortcuts="k">
              {words.keep} <Key>K</Key>
            </Button>
            {mayRemember && <Button onClick={() => setPart("remember")}>{words.remember}</Button>}
            <Button danger onClick={() => setPart("discard")} aria-keyshortcuts="d">
              {words.discard} <Key>D</Key>
            </Button>
          </div>
          <p className={styles.hint}>{words.once}</p>
        </>
      )}
      {part === "remember" && remember !== null && (
        <>
          <RememberChoice request={request} shapes={shapes} yes value={remember} onChange={setRemember} />
          <div className={styles.buttons}>
            <Button type="primary" loading={busy} onClick={() => answer({ answer: "yes", remember })}>
              {words.keepAndRemember}
            </Button>
            <Button onClick={() => setPart("choose")}>{texts.approval.back}</Button>
          </div>
        </>
      )}
      {part === "discard" && (
        <Deny
          id={request.id}
          busy={busy}
          focused={opened}
          label={words.discardNow}
          onBack={() => setPart("choose")}
          onDeny={(reason) => answer({ answer: "no", reason })}
        />
      )}
    </>
  );
}

function Changed({ request, plan, changes }: Props) {
  const texts = useText().conversation;
  const command = commandIn(request.arguments);
  const { preview, undo } = plan;
  const lines = useMemo(() => (preview?.kind === "diff" && preview.text !== "" ? diffLines(preview.text) : null), [preview]);
  return (
    <>
      <p className={styles.hint}>{texts.changes.hint}</p>
      <p className={styles.why}>
        <PermissionTag permission={plan.permission} /> {visible(plan.why)}
      </p>
      {command !== null && <ExactText name={texts.step.command} text={command} />}
      <PlanNotes notes={plan.notes ?? []} />
      {typeof undo === "object" && <p className={styles.wrong}>{texts.plan.undoNo(visible(undo.no))}</p>}
      <ChangeList changes={changes} />
      {lines !== null && <Diff lines={lines} />}
    </>
  );
}
