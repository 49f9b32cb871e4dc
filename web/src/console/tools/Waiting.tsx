// A call that runs may still wait for a person: to look at what it changed, or at its result.
import { useState } from "react";

import { isByHand } from "../../api/conversations";
import { useApprovals } from "../../api/queries";
import type { Json, ApprovalRequest } from "../../api/types";
import { Question } from "../approvals/Question";
import { changesIn } from "../../conversation/approval/subject";
import callStyles from "../call/call.module.css";
import { sameJson } from "../data/sameJson";
import { useConsoleText } from "../texts";

const NONE: readonly ApprovalRequest[] = [];

export function Waiting({ tool, parameters }: { tool: string; parameters: Json }) {
  const text = useConsoleText().call;
  const pending = useApprovals().data ?? NONE;
  const [before] = useState(() => new Set(pending.map(({ id }) => id)));
  const own = questionsOf(tool, parameters, pending).filter(({ id }) => !before.has(id));
  if (own.length === 0) return null;
  return (
    <div style={{ width: "100%" }}>
      <p className={callStyles.quiet}>{text.waitsForAnswer}</p>
      {own.map((approval) => (
        <Question key={approval.id} approval={approval} />
      ))}
    </div>
  );
}

/** Those about the changes or the result of this very call by hand. */
export function questionsOf(tool: string, parameters: Json, pending: readonly ApprovalRequest[]): ApprovalRequest[] {
  return pending.filter(
    (one) => (one.subject.about === "result" || changesIn(one) !== null) && one.tool === tool && isByHand(one.session_id) && sameJson(one.arguments, parameters),
  );
}
