// What the scripted model says: for a message of the user in which `when` stands, a reply for each round of the turn.

export interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

export interface Reply {
  when?: string;
  text?: string;
  thoughts?: string;
  calls?: Call[];
  /** Must stand in what the model is told last, else the turn fails. */
  expect?: string;
  /** Characters at a time; a word without it. */
  piece?: number;
  delay_ms?: number;
  error?: { class: string; message: string; status?: number };
}

/** Replies by a word of the user's message. */
export type Talk = Record<string, Reply[]>;

export function scriptOf(talk: Talk, images = true): string {
  const replies = Object.entries(talk).flatMap(([when, rounds]) => rounds.map((reply) => ({ when, ...reply })));
  return JSON.stringify({ matching: "by_message", images, replies });
}

export const says = (text: string, more: Reply = {}): Reply => ({ text, ...more });

export const calls = (name: string, args: Record<string, unknown>, more: Reply = {}): Reply => ({
  calls: [{ name, arguments: args }],
  ...more,
});

/** Slow enough that something can be done meanwhile. */
export const slowly = (text: string, delay = 100): Reply => ({ text, piece: 8, delay_ms: delay });

/** So many numbered sentences: what was shown twice or not at all is seen. */
export function sentences(count: number): string {
  return Array.from({ length: count }, (_, n) => `Sentence ${n + 1} of ${count}.`).join(" ");
}
