// A question outside its conversation: the conversation's own card, under the name of where it belongs.
import { lazy, Suspense } from "react";

import type { PendingApproval } from "../../api/types";
import { href } from "../../router";
import { Loading } from "../../shell/Loading";
import { visible } from "../../text/visible";
import { useConsoleText } from "../texts";
import { isConversation } from "./conversations";

const ApprovalCard = lazy(async () => ({ default: (await import("../../conversation/approval/ApprovalCard")).ApprovalCard }));

export function Question({ approval }: { approval: PendingApproval }) {
  const text = useConsoleText().oversight.approvals;
  return (
    <div>
      {isConversation(approval.session_id) && (
        <a href={href({ name: "session", id: approval.session_id })}>{approval.session_title === undefined ? text.open : visible(approval.session_title)}</a>
      )}
      <Suspense fallback={<Loading />}>
        <ApprovalCard request={approval} />
      </Suspense>
    </div>
  );
}
