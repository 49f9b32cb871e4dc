// What a call would do, before it does it.
import { Alert } from "antd";
import type { ReactNode } from "react";

import type { Explanation, Plan, Touch, Undoable } from "../../api/types";
import { ChangeList } from "../../conversation/changes/ChangeList";
import { visible } from "../../text/visible";
import { pathShown } from "../format";
import { type ConsoleTexts, useConsoleText } from "../texts";
import { effectWords } from "../tools/effects";
import styles from "./call.module.css";
import { DiffText } from "./DiffText";
import { PermissionBadge } from "./PermissionBadge";

interface Props {
  plan: Plan;
  /** What would be decided, where that was asked for. */
  explanation?: Explanation;
}

export function PlanView({ plan, explanation }: Props) {
  const texts = useConsoleText();
  const text = texts.call;
  const effects = effectWords(plan.effects, texts.tools);
  const touches = plan.touches ?? [];
  const programs = plan.programs ?? [];
  const hosts = plan.hosts ?? [];
  const notes = plan.notes ?? [];
  return (
    <>
      <p className={styles.summary}>{visible(plan.summary)}</p>
      {notes.length > 0 && <Alert type="warning" title={text.notes} description={<Lines lines={notes} />} />}
      <dl className={styles.facts}>
        {explanation && (
          <Fact name={text.decision}>
            <span className={decisionClass(explanation.decision)}>{text.decisions[explanation.decision]}</span>
            <span className={styles.quiet}> · {text.mode}: {explanation.mode}</span>
          </Fact>
        )}
        <Fact name={text.permission}>
          <PermissionBadge permission={explanation?.permission ?? plan.permission} />
        </Fact>
        <Fact name={text.rule}>
          <code>{explanation?.rule ?? plan.rule}</code>
        </Fact>
        <Fact name={text.why}>{visible(explanation?.why ?? plan.why)}</Fact>
        {explanation?.hint && <Fact name={text.hint}>{visible(explanation.hint)}</Fact>}
        {effects !== "" && <Fact name={texts.tools.effects}>{effects}</Fact>}
        {touches.length > 0 && plan.changes === undefined && (
          <Fact name={text.touches}>
            <ul>
              {touches.map((touch, index) => (
                <li key={index}>
                  <TouchLine touch={touch} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {programs.length > 0 && (
          <Fact name={text.programs}>
            <code>{visible(programs.join(", "))}</code>
          </Fact>
        )}
        {hosts.length > 0 && (
          <Fact name={text.hosts}>
            <code>{visible(hosts.join(", "))}</code>
          </Fact>
        )}
        {plan.cwd !== undefined && (
          <Fact name={text.folder}>
            <code>{pathShown(plan.cwd)}</code>
          </Fact>
        )}
        {plan.confinement !== undefined && <Fact name={text.confinement}>{plan.confinement}</Fact>}
        {plan.outside !== undefined && <Fact name={text.outside}>{visible(plan.outside)}</Fact>}
        <Fact name={text.undo}>{undoWords(plan.undo, text)}</Fact>
      </dl>
      {plan.result_approval && <p className={styles.quiet}>{text.resultApproval}</p>}
      {plan.changes !== undefined && <ChangeList changes={plan.changes} />}
      {plan.preview &&
        plan.preview.text !== "" &&
        (plan.preview.kind === "diff" ? (
          <DiffText diff={visible(plan.preview.text)} />
        ) : (
          <pre className={styles.pre} tabIndex={0}>
            {visible(plan.preview.text)}
          </pre>
        ))}
    </>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Lines({ lines }: { lines: string[] }) {
  return lines.map((line) => <div key={line}>{visible(line)}</div>);
}

function TouchLine({ touch }: { touch: Touch }) {
  const text = useConsoleText().call;
  return (
    <>
      <span className={touch.access === "read" ? styles.quiet : styles.warn}>{text.access[touch.access]}</span>{" "}
      <code>{pathShown(touch.path)}</code>
      {touch.recursive && <span className={styles.quiet}> {text.below}</span>}
    </>
  );
}

function undoWords(undo: Undoable, text: ConsoleTexts["call"]): string {
  if (undo === "nothing_to_undo") return text.undoable.nothing;
  return undo === "yes" ? text.undoable.yes : text.undoable.no(visible(undo.no));
}

function decisionClass(decision: Explanation["decision"]): string | undefined {
  return { allow: styles.good, ask: styles.warn, forbid: styles.bad }[decision];
}
