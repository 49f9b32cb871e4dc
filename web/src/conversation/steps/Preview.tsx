// What a call would change or run, to be looked at: a diff, a command, a text.
import { useMemo } from "react";

import type { Json, Plan } from "../../api/types";
import { useText } from "../../i18n";
import { Diff } from "./Diff";
import { diffLines, diffOfArguments, looksLikeDiff } from "./diff";
import { ExactText } from "./ExactText";
import { Fold } from "./Fold";
import { commandIn } from "./gist";

interface Props {
  plan: Plan | null;
  args: Json;
  /** It is asked about: nothing of the arguments is left out. */
  asked?: boolean;
}

export function Preview({ plan, args, asked = false }: Props) {
  const words = useText().conversation.step;
  const preview = plan?.preview;
  const lines = useMemo(() => {
    if (preview !== undefined && (preview.kind === "diff" || looksLikeDiff(preview.text))) return diffLines(preview.text);
    return preview === undefined ? diffOfArguments(args) : null;
  }, [preview, args]);
  const command = commandIn(args);
  const nothing = command === null && lines === null && preview === undefined;
  return (
    <>
      {command !== null && <ExactText name={words.command} text={command} />}
      {lines !== null && <Diff lines={lines} />}
      {lines === null && preview !== undefined && preview.text !== command && <ExactText name={words.preview} text={preview.text} />}
      {asked && (nothing ? <Arguments args={args} /> : <Fold head={words.allArguments}><Arguments args={args} /></Fold>)}
    </>
  );
}

export function Arguments({ args }: { args: Json }) {
  const words = useText().conversation.step;
  return <ExactText name={words.arguments} text={JSON.stringify(args, null, 2)} />;
}
