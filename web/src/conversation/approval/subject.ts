// What a question is about.
import type { ApprovalRequest, ChangeSummary } from "../../api/types";

/** What a command has changed, if the question is whether that is kept. */
export function changesIn({ subject }: ApprovalRequest): ChangeSummary | null {
  return subject.about === "execution" ? (subject.plan.changes ?? null) : null;
}
