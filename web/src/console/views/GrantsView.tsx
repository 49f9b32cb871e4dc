// Remembered answers: what each covers, where, until when; and taking them back.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { App, Button, Empty, Popconfirm, Tag } from "antd";

import { api } from "../../api/client";
import { keys } from "../../api/keys";
import { useGrants } from "../../api/queries";
import type { Grant } from "../../api/types";
import { shapeWords } from "../../conversation/approval/shapes";
import { useNow } from "../../history/time";
import { useLanguage, useText } from "../../i18n";
import { href } from "../../router";
import { Loading } from "../../shell/Loading";
import { Problem, sayInOneLine } from "../../shell/Problem";
import { visible } from "../../text/visible";
import { scopeWords, untilWords } from "../approvals/words";
import { timeText } from "../format";
import { useConsoleText } from "../texts";
import { ViewFrame } from "./ViewFrame";
import styles from "./views.module.css";

export function GrantsView() {
  const text = useConsoleText().oversight.grants;
  return (
    <ViewFrame title={useText().shell.navigation.grants} about={text.about}>
      <Grants />
    </ViewFrame>
  );
}

function Grants() {
  const text = useConsoleText().oversight.grants;
  const grants = useGrants();
  if (grants.isPending) return <Loading />;
  if (grants.isError) return <Problem error={grants.error} onRetry={() => void grants.refetch()} />;
  if (grants.data.length === 0) return <Empty description={text.none} />;
  return (
    <ul className={styles.grants}>
      {grants.data.map((grant) => (
        <GrantRow key={grant.id} grant={grant} />
      ))}
    </ul>
  );
}

function GrantRow({ grant }: { grant: Grant }) {
  const texts = useText();
  const text = useConsoleText().oversight.grants;
  const { language } = useLanguage();
  const now = useNow();
  const client = useQueryClient();
  const { message } = App.useApp();
  const revoke = useMutation({
    mutationFn: () => api.delete(`grants/${encodeURIComponent(grant.id)}`),
    onSuccess: async () => {
      message.success(text.revoked);
      await client.invalidateQueries({ queryKey: keys.grants });
    },
    onError: (error) => message.error(sayInOneLine(error, texts)),
  });
  const scope = scopeWords(grant.scope, text);
  return (
    <li className={styles.grant}>
      <Tag color={grant.effect === "allow" ? "success" : "error"}>{grant.effect === "allow" ? text.allow : text.deny}</Tag>
      <div>
        <strong>{visible(shapeWords(grant.shape, grant.tool, texts.conversation.approval))}</strong>
        <p>
          {text.where}:{" "}
          {grant.scope.in === "session" ? <a href={href({ name: "session", id: grant.scope.id })}>{scope}</a> : scope} · {text.until}:{" "}
          {untilWords(grant, now, text, language)}
        </p>
        <p>{text.given(timeText(grant.created_at, language), grant.created_by)}</p>
        {grant.reason !== null && (
          <p>
            {text.reason}: {grant.reason}
          </p>
        )}
      </div>
      <Popconfirm title={text.revokeAsk} okText={text.revoke} onConfirm={() => revoke.mutate()}>
        <Button size="small" danger loading={revoke.isPending}>
          {text.revoke}
        </Button>
      </Popconfirm>
    </li>
  );
}
