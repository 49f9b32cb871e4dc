// A view that rests on a tool: where the tool is not to be had, the reason stands in its place.
import { Alert } from "antd";
import type { ReactNode } from "react";

import { useTools } from "../../api/queries";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import { Prose } from "../Prose";
import { useConsoleText } from "../texts";

export function NeedsTool({ tool, children }: { tool: string; children: ReactNode }) {
  const texts = useConsoleText();
  const tools = useTools();
  if (tools.isPending) return <Loading />;
  if (tools.isError) return <Problem error={tools.error} onRetry={() => void tools.refetch()} />;
  const found = tools.data.find((one) => one.name === tool);
  if (found?.available) return children;
  return (
    <Alert
      type="info"
      showIcon
      title={found ? texts.tools.unavailable : texts.views.missing(tool)}
      description={<Prose>{found?.unavailable_reason ?? texts.views.missingHint}</Prose>}
    />
  );
}
