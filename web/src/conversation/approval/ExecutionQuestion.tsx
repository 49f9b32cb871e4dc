// May this run? The plan in words, what it would change, and the answers there are.
import { Button } from "antd";
import { useState } from "react";

import type { ApprovalRequest, Plan, Remember } from "../../api/types";
import { useText } from "../../i18n";
import { Problem } from "../../shell/Problem";
import { useKept } from "../../text/kept";
import { PlanWords } from "../steps/PlanWords";
import { Preview } from "../steps/Preview";
import { Key } from "./ApprovalCard";
import styles from "./approval.module.css";
import { ArgumentsEditor } from "./ArgumentsEditor";
import { Deny } from "./Deny";
import { RememberChoice } from "./Remember";
import { SettledLine } from "./SettledLine";
import { useAnswer, wasAnsweredElsewhere } from "./useAnswer";
import { useShortcuts } from "./useShortcuts";

type Part = "choose" | "remember" | "deny" | "edit";

export function ExecutionQuestion({ request, plan }: { request: ApprovalRequest; plan: Plan }) {
  const words = useText().conversation.approval;
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
  const open = settled === null && !busy;
  useShortcuts(
    request.id,
    part === "choose" ? { a: () => answer({ answer: "yes" }), d: () => setPart("deny"), e: () => setPart("edit") } : {},
    open,
  );
  if (settled !== null) return <SettledLine settled={settled} elsewhere={wasAnsweredElsewhere(request.id)} />;
  const mayRemember = request.may_remember && remember !== null;
  return (
    <>
      <PlanWords plan={plan} />
      <Preview plan={plan} args={request.arguments} asked />
      {error !== null && <Problem error={error} />}
      {part === "choose" && (
        <>
          <div className={styles.buttons}>
            <Button type="primary" loading={busy} onClick={() => answer({ answer: "yes" })} aria-keyshortcuts="a">
              {words.once} <Key>A</Key>
            </Button>
            {mayRemember && <Button onClick={() => setPart("remember")}>{words.remember}</Button>}
            <Button onClick={() => setPart("edit")} aria-keyshortcuts="e">
              {words.edit} <Key>E</Key>
            </Button>
            <Button danger onClick={() => setPart("deny")} aria-keyshortcuts="d">
              {words.deny} <Key>D</Key>
            </Button>
          </div>
          <p className={styles.hint}>{mayRemember ? words.onceHint : words.onceOnly}</p>
        </>
      )}
      {part === "remember" && remember !== null && (
        <>
          <RememberChoice request={request} shapes={shapes} yes value={remember} onChange={setRemember} />
          <div className={styles.buttons}>
            <Button type="primary" loading={busy} onClick={() => answer({ answer: "yes", remember })}>
              {words.allowAndRemember}
            </Button>
            <Button onClick={() => setPart("choose")}>{words.back}</Button>
          </div>
        </>
      )}
      {part === "edit" && (
        <ArgumentsEditor
          id={request.id}
          value={request.arguments}
          busy={busy}
          onSend={(edited) => answer({ answer: "edit", arguments: edited })}
          onCancel={() => setPart("choose")}
        />
      )}
      {part === "deny" && (
        <Deny
          id={request.id}
          busy={busy}
          focused={opened}
          onBack={() => setPart("choose")}
          onDeny={(reason, keep) => answer({ answer: "no", reason, ...(keep && remember !== null ? { remember } : {}) })}
        >
          {remember !== null && <RememberChoice request={request} shapes={shapes} yes={false} value={remember} onChange={setRemember} />}
        </Deny>
      )}
    </>
  );
}
