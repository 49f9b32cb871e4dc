// Conversations of one kind, page after page.
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { Button } from "antd";

import { useApprovals } from "../api/queries";
import type { SessionList as Sessions } from "../api/types";
import { useText } from "../i18n";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import styles from "./history.module.css";
import { SessionRow } from "./SessionRow";
import { useEndReached } from "./useEndReached";

interface Props {
  query: UseInfiniteQueryResult<InfiniteData<Sessions>>;
  current: string | undefined;
  empty: string;
  hint?: string | undefined;
  onOpen?: (() => void) | undefined;
}

export function SessionList({ query, current, empty, hint, onOpen }: Props) {
  const text = useText().history;
  const waiting = new Set((useApprovals().data ?? []).map((approval) => approval.session_id));
  const more = () => {
    if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
  };
  const end = useEndReached(more);
  if (query.isPending) return <Loading />;
  if (query.isError && query.data === undefined) {
    return (
      <div className={styles.problem}>
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  // A session that moved up meanwhile may stand on two pages.
  const sessions = new Map(query.data.pages.flatMap((page) => page.sessions).map((each) => [each.id, each]));
  if (sessions.size === 0) {
    return (
      <div className={styles.empty}>
        <p>{empty}</p>
        {hint !== undefined && <small>{hint}</small>}
      </div>
    );
  }
  return (
    <>
      <ul className={styles.list} aria-label={text.list}>
        {[...sessions.values()].map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            current={session.id === current}
            waiting={waiting.has(session.id)}
            onOpen={onOpen}
          />
        ))}
      </ul>
      {query.hasNextPage && (
        <div ref={end} className={styles.end}>
          <Button type="text" size="small" loading={query.isFetchingNextPage} onClick={more}>
            {text.loadMore}
          </Button>
        </div>
      )}
    </>
  );
}
