// A plan in words: what it would do, why it is asked, what it touches, and whether it can be taken back.
import { Tag } from "antd";

import type { Permission, Plan } from "../../api/types";
import { useText } from "../../i18n";
import { shownPath } from "../live";
import { useSessionPlace } from "../SessionContext";
import { fromWorkspace } from "./gist";
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
  const workspace = useSessionPlace()?.workspace ?? null;
  const touches = plan.touches ?? [];
  const effects = (["reads", "writes", "executes", "network", "desktop"] as const).filter((effect) => plan.effects[effect]);
  return (
    <div className={styles.plan}>
      {summary && <p className={styles.summary}>{fromWorkspace(plan.summary, workspace)}</p>}
      <p className={styles.why}>
        <PermissionTag permission={plan.permission} /> {plan.why}
      </p>
      <dl>
        {effects.length > 0 && <Fact name={words.does}>{effects.map((effect) => words.effects[effect]).join(" · ")}</Fact>}
        {touches.length > 0 && (
          <Fact name={words.touches}>
            <ul>
              {touches.slice(0, MOST_PATHS).map((touch, index) => (
                <li key={index}>
                  <Tag>{words.access[touch.access]}</Tag>
                  <code>{fromWorkspace(shownPath(touch.path), workspace)}</code>
                  {touch.recursive && ` ${words.recursive}`}
                </li>
              ))}
              {touches.length > MOST_PATHS && <li>{words.andMore(touches.length - MOST_PATHS)}</li>}
            </ul>
          </Fact>
        )}
        {(plan.programs ?? []).length > 0 && <Fact name={words.programs}>{codes(plan.programs)}</Fact>}
        {(plan.hosts ?? []).length > 0 && <Fact name={words.hosts}>{codes(plan.hosts)}</Fact>}
        {plan.cwd !== undefined && (
          <Fact name={words.folder}>
            <code>{shownPath(plan.cwd)}</code>
          </Fact>
        )}
        {plan.confinement !== undefined && <Fact name={words.confinement}>{plan.confinement}</Fact>}
        <Fact name={words.undo}>
          {plan.undo === "yes" ? words.undoYes : plan.undo === "nothing_to_undo" ? words.undoNothing : words.undoNo(plan.undo.no)}
        </Fact>
      </dl>
      {(plan.notes ?? []).length > 0 && (
        <ul className={styles.notes} aria-label={words.notes}>
          {(plan.notes ?? []).map((note, index) => (
            <li key={index}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function codes(list: readonly string[] = []) {
  return list.map((one, index) => (
    <code key={index} className={styles.word}>
      {one}
    </code>
  ));
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
