// What a person has begun to write, kept while the part of the page that shows it is not drawn.
import { useState } from "react";

/** By what it belongs to, such as a question; of more than so many, the oldest goes. */
const kept = new Map<string, Map<string, unknown>>();
const MOST = 100;

/** A state that is there again when its part of the page is. `name` is always used with the same type. */
export function useKept<T>(id: string, name: string, first: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => {
    const values = kept.get(id);
    return values?.has(name) === true ? (values.get(name) as T) : first;
  });
  const set = (next: T) => {
    keep(id, name, next);
    setValue(next);
  };
  return [value, set];
}

function keep(id: string, name: string, value: unknown): void {
  const values = kept.get(id) ?? new Map<string, unknown>();
  values.set(name, value);
  kept.delete(id);
  kept.set(id, values);
  const [oldest] = kept.keys();
  if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
}

/** It is done with. */
export function forget(id: string): void {
  kept.delete(id);
}
