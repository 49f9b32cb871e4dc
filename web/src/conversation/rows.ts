// The rows of a conversation: stored messages, with the turn that runs in its place.
import type { Message, TurnState } from "../api/types";
import { turnOf } from "./finished";
import type { LiveState } from "./live";
import type { TurnView } from "./view";

export interface UserRow {
  kind: "user";
  key: string;
  /** `null` while it is on its way. */
  id: number | null;
  text: string;
  uploads: readonly string[];
  at: string | null;
}

export interface AssistantRow {
  kind: "assistant";
  key: string;
  message: Message | null;
  turn: TurnView;
  running: boolean;
  /** The newest of all. */
  last: boolean;
}

export interface SystemRow {
  kind: "system";
  key: string;
  message: Message;
}

export type Row = UserRow | AssistantRow | SystemRow;

export interface Outgoing {
  text: string;
  uploads: readonly string[];
  /** The newest message when it was sent. */
  after: number;
  /** Its number, once the server has said it. */
  id: number | null;
}

/** It stands in the conversation already, so it must not stand there as being on its way, too. */
export function hasArrived(outgoing: Outgoing, messages: readonly Message[], said: LiveState["said"]): boolean {
  const isIt = (id: number, text: string) => id === outgoing.id || (id > outgoing.after && text === outgoing.text);
  if (said !== null && isIt(said.id, said.text)) return true;
  return messages.some((message) => message.role === "user" && isIt(message.id, message.content));
}

export function rowsOf(
  messages: readonly Message[],
  live: LiveState,
  turnState: TurnState | null,
  outgoing: Outgoing | null,
): Row[] {
  const rows: Row[] = [];
  const liveTurn = live.turn;
  let liveShown = false;
  for (const message of messages) {
    if (message.role === "user") {
      rows.push(userRow(message));
    } else if (message.role === "system") {
      rows.push({ kind: "system", key: `m${message.id}`, message });
    } else {
      const mine = liveTurn !== null && message.metadata.turn_id === liveTurn.turnId;
      if (mine) liveShown = true;
      const ended = message.metadata.outcome !== undefined;
      const running = !ended && (mine ? liveTurn.outcome === null : turnState?.assistant_message === message.id);
      const turn = mine && !ended ? liveTurn : running ? starting(message) : stored(message);
      rows.push({ kind: "assistant", key: turnKey(message), message, turn, running, last: false });
    }
  }
  if (liveTurn !== null && !liveShown) {
    const { said } = live;
    if (said !== null && !messages.some((message) => message.id === said.id)) {
      rows.push({ kind: "user", key: `m${said.id}`, id: said.id, text: said.text, uploads: [], at: said.at });
    }
    rows.push({
      kind: "assistant",
      key: `t${liveTurn.turnId ?? ""}`,
      message: null,
      turn: liveTurn,
      running: liveTurn.outcome === null,
      last: false,
    });
  }
  if (outgoing !== null) {
    rows.push({ kind: "user", key: "outgoing", id: null, text: outgoing.text, uploads: outgoing.uploads, at: null });
  }
  const newest = rows.at(-1);
  if (newest?.kind === "assistant") newest.last = true;
  return rows;
}

/** The same for the turn that runs and for the message that comes of it, so that nothing on the page is made anew. */
function turnKey(message: Message): string {
  return message.metadata.turn_id === undefined ? `m${message.id}` : `t${message.metadata.turn_id}`;
}

function userRow(message: Message): UserRow {
  return {
    kind: "user",
    key: `m${message.id}`,
    id: message.id,
    text: message.content,
    uploads: message.metadata.uploads ?? [],
    at: message.timestamp,
  };
}

function starting(message: Message): TurnView {
  return { ...stored(message), outcome: null, endedAt: null };
}

const turns = new WeakMap<Message, TurnView>();

function stored(message: Message): TurnView {
  const known = turns.get(message);
  if (known !== undefined) return known;
  const turn = turnOf(message);
  turns.set(message, turn);
  return turn;
}
