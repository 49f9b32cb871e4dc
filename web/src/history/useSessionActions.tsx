// What can be done with a session, each told to the person and, where possible, taken back by one click.
import { useQueryClient } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useMemo } from "react";

import { address, api, ApiError } from "../api/client";
import { keys } from "../api/keys";
import type { SessionItem } from "../api/types";
import { follow } from "../conversation/download";
import { useText } from "../i18n";
import { currentRoute, navigate } from "../router";
import { sayError } from "../shell/Problem";
import { titleOf } from "./title";

const path = (id: string, rest = "") => `sessions/${encodeURIComponent(id)}${rest}`;

export interface SessionActions {
  rename: (session: SessionItem, title: string) => Promise<void>;
  archive: (session: SessionItem, archived: boolean) => Promise<void>;
  remove: (session: SessionItem) => void;
  removeForever: (session: SessionItem) => void;
  restore: (session: SessionItem) => Promise<void>;
  fork: (session: SessionItem) => Promise<void>;
  exportAs: (session: SessionItem, format: "json" | "markdown") => void;
  importFile: (file: File) => Promise<void>;
}

export function useSessionActions(): SessionActions {
  const client = useQueryClient();
  const { message, modal } = App.useApp();
  const text = useText();
  return useMemo(() => {
    const words = text.history;
    const refresh = () => client.invalidateQueries({ queryKey: keys.sessions });

    const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
      try {
        await work();
        await refresh();
        return true;
      } catch (error) {
        const busy = error instanceof ApiError && error.code === "busy";
        const said = sayError(error, text);
        void message.error(busy ? words.busy : [said.message, said.hint].filter(Boolean).join(" "));
        return false;
      }
    };

    const offerUndo = (said: string, undo: () => void) => {
      const key = said;
      void message.open({
        key,
        type: "success",
        duration: 8,
        content: (
          <>
            {said}{" "}
            <Button
              type="link"
              size="small"
              onClick={() => {
                message.destroy(key);
                undo();
              }}
            >
              {words.undo}
            </Button>
          </>
        ),
      });
    };

    const leave = (id: string) => {
      const route = currentRoute();
      if (route.name === "session" && route.id === id) navigate({ name: "home" }, { replace: true });
      // What is gone must not be asked for again.
      client.removeQueries({ queryKey: keys.session(id) });
    };

    const restore = async (session: SessionItem) => {
      await attempt(() => api.post(path(session.id, "/restore")));
    };
    const setArchived = (session: SessionItem, archived: boolean) =>
      attempt(() => api.post(path(session.id, "/archive"), { archived }));

    return {
      restore,
      rename: async (session, title) => {
        await attempt(() => api.put(path(session.id), { title }));
      },
      archive: async (session, archived) => {
        const done = await setArchived(session, archived);
        if (done && archived) {
          offerUndo(words.archivedNow(titleOf(session, text)), () => void setArchived(session, false));
        }
      },
      remove: (session) => {
        const title = titleOf(session, text);
        modal.confirm({
          title: words.deleteQuestion(title),
          content: words.deleteText,
          okText: words.delete,
          cancelText: words.cancel,
          okButtonProps: { danger: true },
          onOk: async () => {
            const done = await attempt(async () => {
              await api.delete(path(session.id), { query: { soft: true } });
              leave(session.id);
            });
            if (!done) return;
            offerUndo(words.deleted(title), () => void restore(session));
          },
        });
      },
      removeForever: (session) => {
        modal.confirm({
          title: words.deleteQuestion(titleOf(session, text)),
          content: words.deleteForeverText,
          okText: words.deleteForever,
          cancelText: words.cancel,
          okButtonProps: { danger: true },
          onOk: () => attempt(() => api.delete(path(session.id))),
        });
      },
      fork: async (session) => {
        await attempt(async () => {
          const copy = await api.post<SessionItem>(path(session.id, "/fork"));
          navigate({ name: "session", id: copy.id });
        });
      },
      exportAs: (session, format) => {
        follow(address(path(session.id, "/export"), { format }), "");
      },
      importFile: async (file) => {
        let transcript: unknown;
        try {
          transcript = JSON.parse(await file.text());
        } catch {
          void message.error(`${words.importBad} ${words.importHint}`);
          return;
        }
        await attempt(async () => {
          const session = await api.post<SessionItem>("sessions/import", transcript);
          navigate({ name: "session", id: session.id });
        });
      },
    };
  }, [client, message, modal, text]);
}
