// Other MCP servers: read, and changed.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { api } from "../../api/client";
import { keys } from "../../api/keys";
import type { McpServers, ServerChange, ServerLogLine, ServerProposal } from "../../api/types";

/** A server that starts or fails is seen to, without being asked for. */
const LOOK_AGAIN = 1_500;
/** A program may take a while to end. */
const CHANGE_TIMEOUT = 60_000;

const at = (name: string, more = "") => `servers/${encodeURIComponent(name)}${more}`;

export function useServers(enabled: boolean) {
  return useQuery({
    queryKey: keys.servers,
    queryFn: ({ signal }) => api.get<McpServers>("servers", { signal }),
    refetchInterval: LOOK_AGAIN,
    enabled,
  });
}

export function useServerLog(name: string) {
  return useQuery({
    queryKey: keys.serverLog(name),
    queryFn: ({ signal }) => api.get<{ lines: ServerLogLine[] }>(at(name, "/log"), { signal }),
    refetchInterval: LOOK_AGAIN,
  });
}

/** What is to be added: one server, or those of another client's file. */
export type NewServers = { name: string; entry: object } | { json: string };

function send(given: NewServers, confirm?: string): Promise<ServerProposal> {
  const body = confirm === undefined ? given : { ...given, confirm };
  return api.post<ServerProposal>("json" in given ? "servers/import" : "servers", body, { timeout: CHANGE_TIMEOUT });
}

export function useServerActions() {
  const client = useQueryClient();
  const onSettled = () =>
    Promise.all([keys.servers, keys.tools].map((queryKey) => client.invalidateQueries({ queryKey })));
  const options = { timeout: CHANGE_TIMEOUT };
  return {
    propose: useMutation({ mutationFn: (given: NewServers) => send(given) }),
    add: useMutation({
      mutationFn: ({ given, confirm }: { given: NewServers; confirm: string }) => send(given, confirm),
      onSettled,
    }),
    change: useMutation({
      mutationFn: ({ name, change }: { name: string; change: ServerChange }) => api.patch(at(name), change, options),
      onSettled,
    }),
    remove: useMutation({ mutationFn: (name: string) => api.delete(at(name), options), onSettled }),
    restart: useMutation({ mutationFn: (name: string) => api.post(at(name, "/restart"), {}, options), onSettled }),
    signIn: useMutation({
      mutationFn: (name: string) => api.post<{ address: string }>(at(name, "/sign-in"), {}, options),
      onSettled,
    }),
    signOut: useMutation({ mutationFn: (name: string) => api.delete(at(name, "/sign-in"), options), onSettled }),
  };
}
