// All that one conversation knows and can do.
import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useCallback, useEffect, useMemo, useState } from "react";

import { keys } from "../api/keys";
import type { SessionDetail } from "../api/types";
import { useText } from "../i18n";
import { navigate } from "../router";
import { sayInOneLine } from "../shell/Problem";
import {
  askAgain,
  choose,
  type Chosen,
  compact,
  editQueued,
  fork,
  forkAndSay,
  order,
  queue,
  removeQueued,
  retry,
  say,
  sendQueued,
  type TurnOrder,
} from "./actions";
import type { RowActions } from "./MessageRow";
import { hasArrived, type Outgoing, rowsOf, type UserRow } from "./rows";
import { putBack, useDraft } from "./sender/draft";
import type { QueueActions } from "./sender/QueuedList";
import { clearSent } from "./sender/uploads";
import { gistOf } from "./steps/gist";
import { useLive } from "./useLive";
import { type Messages, useMessages } from "./useMessages";
import { type CallItem, isRunning } from "./view";

export function useTalk(sessionId: string) {
  const client = useQueryClient();
  const { message } = App.useApp();
  const text = useText();
  const { session, live, begin } = useLive(sessionId);
  const list = useMessages(sessionId);
  // Both are asked for at once. Messages from before the stream's beginning lack what happened between the two.
  const missed = begin !== null && list.query.data !== undefined && list.query.data.lastEvent < begin;
  useEffect(() => {
    if (missed) void client.invalidateQueries({ queryKey: keys.messages(sessionId) });
  }, [client, missed, sessionId]);
  const [draft, setDraft] = useDraft(sessionId);
  const [outgoing, setOutgoing] = useState<Outgoing | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [ordered, setOrdered] = useState<{ turnId: string | null; paused: boolean } | null>(null);
  const [compacting, setCompacting] = useState(false);

  const storedTurn = session.data?.turn ?? null;
  // The stream is ahead of what was asked for once.
  const turnState = storedTurn !== null && live.turn?.turnId === storedTurn.turn_id && live.turn.outcome !== null ? null : storedTurn;
  const running = isRunning(live.turn) || turnState !== null;
  const turnId = (isRunning(live.turn) ? live.turn?.turnId : turnState?.turn_id) ?? null;
  // An order counts for the turn it was given to, not for the next one.
  const paused = running && (ordered !== null && ordered.turnId === turnId ? ordered.paused : turnState?.state === "paused");
  const arrived = outgoing !== null && hasArrived(outgoing, list.messages, live.said);
  const rows = useMemo(
    () => rowsOf(list.messages, live, turnState, arrived ? null : outgoing),
    [list.messages, live, turnState, outgoing, arrived],
  );

  const refresh = useCallback(async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: keys.messages(sessionId) }),
      client.invalidateQueries({ queryKey: keys.session(sessionId) }),
    ]);
  }, [client, sessionId]);
  const tell = useCallback((problem: unknown) => void message.error(sayInOneLine(problem, text)), [message, text]);

  const send = useCallback(
    async (content: string, uploads: readonly string[], fromDraft: boolean) => {
      setError(null);
      const after = client.getQueryData<Messages>(keys.messages(sessionId))?.messages.at(-1)?.id ?? 0;
      setOutgoing({ text: content, uploads, after, id: null });
      if (fromDraft) setDraft("");
      try {
        const { message_id: id } = await say(sessionId, content, uploads);
        setOutgoing({ text: content, uploads, after, id });
        clearSent(sessionId, uploads);
        await refresh();
      } catch (problem) {
        // What was written is not lost.
        if (fromDraft) setDraft((typed) => putBack(content, typed));
        setError(problem);
      } finally {
        setOutgoing(null);
      }
    },
    [client, refresh, sessionId, setDraft],
  );

  const addToQueue = useCallback(
    async (content: string, uploads: readonly string[]) => {
      setError(null);
      setDraft("");
      try {
        await queue(sessionId, content, uploads);
        clearSent(sessionId, uploads);
        await refresh();
      } catch (problem) {
        setDraft((typed) => putBack(content, typed));
        setError(problem);
      }
    },
    [refresh, sessionId, setDraft],
  );

  const queueActions = useMemo<QueueActions>(() => {
    const doing = async (work: Promise<unknown>): Promise<boolean> => {
      const problem: unknown = await work.then(() => null, (error: unknown) => error);
      await refresh();
      if (problem !== null) tell(problem);
      return problem === null;
    };
    const isQueued = (id: number) =>
      client.getQueryData<SessionDetail>(keys.session(sessionId))?.queued.some((message) => message.id === id) ?? false;
    return {
      edit: async (id, content) => {
        const isSaved = await doing(editQueued(sessionId, id, content));
        // A message that was sent during its edit takes its editor along, but not what was written there.
        if (!isSaved && !isQueued(id)) setDraft((typed) => putBack(content, typed));
        return isSaved;
      },
      remove: (id) => void doing(removeQueued(sessionId, id)),
      send: (id) => void doing(sendQueued(sessionId, id)),
    };
  }, [client, refresh, sessionId, setDraft, tell]);

  const askOnceMore = useCallback(
    (call: CallItem) => {
      const what = `${call.tool} ${call.plan?.summary ?? gistOf(call.arguments)}`.trim();
      setError(null);
      askAgain(sessionId, call.callId, text.conversation.approval.askAgainSaid(what)).then(refresh).catch(setError);
    },
    [refresh, sessionId, text],
  );

  const give = useCallback(
    (what: TurnOrder) => {
      if (what !== "cancel") setOrdered({ turnId, paused: what === "pause" });
      order(sessionId, what).catch((problem: unknown) => {
        setOrdered(null);
        tell(problem);
      });
    },
    [sessionId, tell, turnId],
  );

  const summarise = useCallback(() => {
    setCompacting(true);
    compact(sessionId)
      .then(() => refresh())
      .then(() => void message.success(text.conversation.bar.compacted))
      .catch(setError)
      .finally(() => setCompacting(false));
  }, [message, refresh, sessionId, text]);

  const actions = useMemo<RowActions>(() => {
    const goTo = (id: string) => {
      void client.invalidateQueries({ queryKey: keys.sessions });
      navigate({ name: "session", id });
    };
    const forkWith = async (row: UserRow, content: string) => {
      if (row.id !== null) goTo(await forkAndSay(sessionId, row.id, content, row.uploads));
    };
    return {
      retryAsFork: (row) => void forkWith(row, row.text).catch(tell),
      editAsFork: forkWith,
      forkHere: (last) => void fork(sessionId, last).then(({ id }) => goTo(id)).catch(tell),
      tryAgain: () => {
        setError(null);
        void retry(sessionId).then(refresh).catch(setError);
      },
      compact: summarise,
    };
  }, [client, refresh, sessionId, summarise, tell]);

  const chooseHere = useCallback(
    (chosen: Chosen) => {
      choose(sessionId, chosen)
        .then(() =>
          // Another model may take other files.
          Promise.all([keys.session(sessionId), keys.uploads(sessionId)].map((queryKey) => client.invalidateQueries({ queryKey }))),
        )
        .catch(tell);
    },
    [client, sessionId, tell],
  );

  return {
    session, live, list, rows, running, paused, draft, setDraft, error, setError, sending: outgoing !== null,
    send: (content: string, uploads: readonly string[]) => void (running ? addToQueue(content, uploads) : send(content, uploads, true)),
    sayNext: (content: string) => void send(content, [], false),
    give, actions, choose: chooseHere, compacting, queueActions, askAgain: askOnceMore,
  };
}
