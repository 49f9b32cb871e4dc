// Adding: first what is wanted, then exactly what would run, and only then the adding.
import { useState } from "react";

import { Problem } from "../../shell/Problem";
import shared from "../settings.module.css";
import { ImportForm } from "./ImportForm";
import { ProposalView } from "./ProposalView";
import { ServerForm } from "./ServerForm";
import styles from "./servers.module.css";
import { type NewServers, useServerActions } from "./useServers";

export function AddServers({ what, onDone }: { what: "one" | "import"; onDone: () => void }) {
  const { propose, add } = useServerActions();
  const [given, setGiven] = useState<NewServers | null>(null);
  const review = (wanted: NewServers) => {
    setGiven(wanted);
    add.reset();
    propose.mutate(wanted);
  };
  const Form = what === "one" ? ServerForm : ImportForm;
  const proposal = propose.data;
  const reviewing = given !== null && proposal !== undefined;
  return (
    <div className={`${shared.card ?? ""} ${styles.add ?? ""}`}>
      {/* What was typed is kept for those who go back. */}
      <div hidden={reviewing}>
        <Form pending={propose.isPending} onReview={review} onCancel={onDone} />
        {propose.isError && <Problem error={propose.error} />}
      </div>
      {reviewing && (
        <ProposalView
          proposal={proposal}
          pending={add.isPending}
          onBack={() => propose.reset()}
          onConfirm={() => add.mutate({ given, confirm: proposal.confirm }, { onSuccess: onDone })}
        />
      )}
      {add.isError && <Problem error={add.error} />}
    </div>
  );
}
