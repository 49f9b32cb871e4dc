// Everything that waits for an answer, in all conversations.
import { Empty } from "antd";

import { useApprovals } from "../../api/queries";
import { useText } from "../../i18n";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import { Question } from "../approvals/Question";
import { useConsoleText } from "../texts";
import { ViewFrame } from "./ViewFrame";

export function ApprovalsView() {
  const text = useConsoleText().oversight.approvals;
  const approvals = useApprovals();
  return (
    <ViewFrame title={useText().shell.navigation.approvals} about={text.about}>
      {approvals.isPending && <Loading />}
      {approvals.isError && <Problem error={approvals.error} onRetry={() => void approvals.refetch()} />}
      {approvals.data?.length === 0 && <Empty description={text.none} />}
      {approvals.data?.map((approval) => (
        <Question key={approval.id} approval={approval} />
      ))}
    </ViewFrame>
  );
}
