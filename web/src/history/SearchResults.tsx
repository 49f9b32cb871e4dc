// Where a word stands in all conversations.
import { Button } from "antd";

import { useSearch } from "../api/queries";
import type { SearchHit } from "../api/types";
import { type Texts, useText } from "../i18n";
import { href } from "../router";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import { visible } from "../text/visible";
import styles from "./history.module.css";
import { RelativeTime } from "./RelativeTime";
import { Snippet } from "./Snippet";
import { useEndReached } from "./useEndReached";

export function SearchResults({ query, onOpen }: { query: string; onOpen?: (() => void) | undefined }) {
  const text = useText();
  const search = useSearch(query);
  const more = () => {
    if (search.hasNextPage && !search.isFetching) void search.fetchNextPage();
  };
  const end = useEndReached(more);
  const hits = search.data?.pages.flatMap((page) => page.items) ?? [];
  if (search.isPending) return <Loading />;
  if (search.isError) return <Problem error={search.error} onRetry={() => void search.refetch()} />;
  if (hits.length === 0) return <p className={styles.empty}>{text.history.nothingFound(query)}</p>;
  return (
    <>
      <ul className={styles.list} aria-label={text.history.search}>
        {hits.map((hit) => (
          <li key={`${hit.session_id}/${hit.message_id ?? "title"}`}>
            <a className={styles.hit} href={href(routeOf(hit))} onClick={onOpen}>
              <span className={styles.hitHead}>
                <span className={styles.name}>{hit.message_id === null ? <Snippet text={hit.snippet} /> : visible(hit.title)}</span>
                <RelativeTime at={hit.timestamp} className={styles.time} />
              </span>
              {hit.message_id !== null && (
                <span className={styles.snippet}>
                  <b>{speaker(hit, text)}</b> <Snippet text={hit.snippet} />
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
      {search.hasNextPage && (
        <div ref={end} className={styles.end}>
          <Button type="text" size="small" loading={search.isFetchingNextPage} onClick={more}>
            {text.history.loadMore}
          </Button>
        </div>
      )}
    </>
  );
}

function routeOf(hit: SearchHit) {
  const route = { name: "session" as const, id: hit.session_id };
  return hit.message_id === null ? route : { ...route, message: hit.message_id };
}

function speaker(hit: SearchHit, text: Texts): string {
  if (hit.role === "user") return text.history.you;
  return hit.role === "assistant" ? text.history.assistant : text.history.note;
}
