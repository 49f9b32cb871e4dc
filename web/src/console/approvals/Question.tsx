// A question outside its conversation: the conversation's own card, under the name of where it belongs.
import { lazy, Suspense } from "react";

import type { ApprovalRequest } from "../../api/types";
import { href } from "../../router";
import { Loading } from "../../shell/Loading";
import { visible } from "../../text/visible";
import { useConsoleText } from "../texts";
import { isConversation } from "../../api/conversations";

const ApprovalCard = lazy(async () => ({ default: (await import("../../conversation/approval/ApprovalCard")).ApprovalCard }));

export function Question({ approval }: { approval: ApprovalRequest }) {
  const text = useConsoleText().oversight.approvals;
  return (
    <div>
      {isConversation(approval.session_id) ? (
        <a href={href({ name: "session", id: approval.session_id })}>{text.open}</a>
      ) : (
        <span>{text.askedFor(visible(approval.caller))}</span>
      )}
      <Suspense fallback={<Loading />}>
        <ApprovalCard request={approval} />
      </Suspense>
    </div>
  );
}
