// What adding would do, to the letter: programs, hosts, variables; and the button that does it.
import { Alert, Button, Tag } from "antd";

import type { ServerProposal } from "../../api/types";
import { visible } from "../../text/visible";
import shared from "../settings.module.css";
import { LinkView } from "./LinkView";
import styles from "./servers.module.css";
import { useServerText } from "./texts";

interface Props {
  proposal: ServerProposal;
  pending: boolean;
  onBack: () => void;
  onConfirm: () => void;
}

export function ProposalView({ proposal, pending, onBack, onConfirm }: Props) {
  const text = useServerText();
  const runs = proposal.servers.some(({ kind, disabled }) => kind === "stdio" && !disabled);
  return (
    <>
      <ul className={styles.tools}>
        {proposal.servers.map((server) => (
          <li key={server.name} className={styles.details}>
            <p>
              <strong>{visible(server.name)}</strong> {server.replaces && <Tag color="warning">{text.replaces}</Tag>}
              {server.disabled && <Tag>{text.startsDisabled}</Tag>}
            </p>
            <p>{server.kind === "stdio" ? text.runsTitle : text.asksTitle}</p>
            <LinkView link={server} />
          </li>
        ))}
      </ul>
      {proposal.left_out.length > 0 && (
        <>
          <h3>{text.leftOut}</h3>
          <ul className={styles.tools}>
            {proposal.left_out.map((line) => (
              <li key={line} className={shared.sub}>
                {visible(line)}
              </li>
            ))}
          </ul>
        </>
      )}
      {runs && <Alert type="warning" showIcon title={text.runsWarning} />}
      <p className={shared.sub}>{text.setUpIn(visible(proposal.file))}</p>
      <div className={shared.line}>
        <Button type="primary" danger={runs} loading={pending} onClick={onConfirm}>
          {runs ? text.confirmRun : text.confirmAdd}
        </Button>
        <Button disabled={pending} onClick={onBack}>
          {text.back}
        </Button>
      </div>
    </>
  );
}
