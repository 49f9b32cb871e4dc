// Whether data is a table: an array of things with the same few plain fields.
import type { Json } from "../../api/types";

export interface Rows {
  columns: string[];
  rows: string[][];
  total: number;
}

const MOST_ROWS = 100;
const MOST_COLUMNS = 8;

export function rowsOf(data: Json): Rows | null {
  const list = listIn(data);
  if (list === null || list.length === 0) return null;
  const things = list.filter((item): item is Record<string, Json> => item !== null && typeof item === "object" && !Array.isArray(item));
  if (things.length !== list.length) return null;
  const columns = [...new Set(things.slice(0, MOST_ROWS).flatMap((thing) => Object.keys(thing)))].filter((column) =>
    things.slice(0, MOST_ROWS).every((thing) => isPlain(thing[column])),
  );
  if (columns.length < 2) return null;
  const kept = columns.slice(0, MOST_COLUMNS);
  return {
    columns: kept,
    rows: things.slice(0, MOST_ROWS).map((thing) => kept.map((column) => cell(thing[column]))),
    total: things.length,
  };
}

/** The data itself, or the one list in it. */
function listIn(data: Json): Json[] | null {
  if (Array.isArray(data)) return data;
  if (data === null || typeof data !== "object") return null;
  const lists = Object.values(data).filter((value) => Array.isArray(value) && value.length > 0);
  return lists.length === 1 && Array.isArray(lists[0]) ? lists[0] : null;
}

function isPlain(value: Json | undefined): boolean {
  return value === undefined || value === null || typeof value !== "object";
}

function cell(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
