// What a call would change or run, to be looked at: a diff, a command, a text.
import { useMemo } from "react";

import type { Json, Plan } from "../../api/types";
import { CodeBlock } from "../markdown/CodeBlock";
import { Diff } from "./Diff";
import { diffLines, diffOfArguments, looksLikeDiff } from "./diff";
import { commandIn } from "./gist";

export function Preview({ plan, args }: { plan: Plan | null; args: Json }) {
  const preview = plan?.preview;
  const lines = useMemo(() => {
    if (preview !== undefined && (preview.kind === "diff" || looksLikeDiff(preview.text))) return diffLines(preview.text);
    return preview === undefined ? diffOfArguments(args) : null;
  }, [preview, args]);
  const command = commandIn(args);
  return (
    <>
      {command !== null && <CodeBlock language="bash" text={command} />}
      {lines !== null && <Diff lines={lines} />}
      {lines === null && preview !== undefined && preview.text !== command && <CodeBlock language="" text={preview.text} />}
    </>
  );
}
