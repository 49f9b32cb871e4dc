// A plan in words: what it would do, why it is asked, what it touches, and whether it can be taken back.
// Paths are shown whole: what is left out of one may be what matters.
import { Button, Tag } from "antd";
import { useState } from "react";

import type { Permission, Plan, Touch } from "../../api/types";
import { useText } from "../../i18n";
import { visible } from "../../text/visible";
import { shownPath } from "../live";
import { Exact } from "./ExactText";
import { commandLine } from "./gist";
import styles from "./steps.module.css";

const MOST_PATHS = 8;

export function PermissionTag({ permission }: { permission: Permission }) {
  const words = useText().conversation.plan;
  return (
    <span className={styles.permission} data-permission={permission} title={words.permissionHint[permission]}>
      {words.permission[permission]}
    </span>
  );
}

export function PlanWords({ plan, summary = true }: { plan: Plan; summary?: boolean }) {
  const words = useText().conversation.plan;
  const touches = plan.touches ?? [];
  const effects = (["reads", "writes", "executes", "network", "desktop"] as const).filter((effect) => plan.effects[effect]);
  return (
    <div className={styles.plan}>
      {summary && <p className={styles.summary}><Exact text={plan.summary} /></p>}
      <p className={styles.why}>
        <PermissionTag permission={plan.permission} /> {visible(plan.why)}
      </p>
      <dl>
        {effects.length > 0 && <Fact name={words.does}>{effects.map((effect) => words.effects[effect]).join(" · ")}</Fact>}
        {touches.length > 0 && <Fact name={words.touches}><Touches touches={touches} /></Fact>}
        <Codes name={words.commands} list={(plan.commands ?? []).map(commandLine)} lines />
        <Codes name={words.programs} list={plan.programs} />
        <Codes name={words.hosts} list={plan.hosts} />
        {plan.with_network === true && <Fact name={words.network}>{words.withNetwork}</Fact>}
        {plan.cwd !== undefined && (
          <Fact name={words.folder}>
            <code><Exact text={shownPath(plan.cwd)} /></code>
          </Fact>
        )}
        {plan.confinement !== undefined && <Fact name={words.confinement}>{visible(plan.confinement)}</Fact>}
        {plan.outside !== undefined && <Fact name={words.outside}>{visible(plan.outside)}</Fact>}
        {plan.result_approval && <Fact name={words.result}>{words.resultAsked}</Fact>}
        <Fact name={words.undo}>
          {plan.undo === "yes" ? words.undoYes : plan.undo === "nothing_to_undo" ? words.undoNothing : words.undoNo(visible(plan.undo.no))}
        </Fact>
      </dl>
      <PlanNotes notes={plan.notes ?? []} />
    </div>
  );
}

export function PlanNotes({ notes }: { notes: readonly string[] }) {
  const words = useText().conversation.plan;
  if (notes.length === 0) return null;
  return (
    <ul className={styles.notes} aria-label={words.notes}>
      {notes.map((note, index) => (
        <li key={index}>{visible(note)}</li>
      ))}
    </ul>
  );
}

function Touches({ touches }: { touches: readonly Touch[] }) {
  const words = useText().conversation.plan;
  const [all, setAll] = useState(false);
  const shown = all ? touches : touches.slice(0, MOST_PATHS);
  return (
    <>
      <ul>
        {shown.map((touch, index) => (
          <li key={index}>
            <Tag>{words.access[touch.access]}</Tag>
            <code><Exact text={shownPath(touch.path)} /></code>
            {touch.recursive && ` ${words.recursive}`}
          </li>
        ))}
      </ul>
      {shown.length < touches.length && (
        <Button type="link" size="small" onClick={() => setAll(true)}>
          {words.showAllPaths(touches.length)}
        </Button>
      )}
    </>
  );
}

function Codes({ name, list = [], lines = false }: { name: string; list?: readonly string[] | undefined; lines?: boolean }) {
  if (list.length === 0) return null;
  return (
    <Fact name={name}>
      {list.map((one, index) => (
        <code key={index} className={lines ? styles.line : styles.word}>
          <Exact text={one} />
        </code>
      ))}
    </Fact>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
