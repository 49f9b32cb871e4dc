// Finds the table in a result: a list of objects, or the one list of objects that an object holds.
import type { Json } from "../../api/types";
import { type Fields, isFields } from "../schema/schema";

export interface Rows {
  /** The field that holds the list; empty for the result itself. */
  name: string;
  columns: string[];
  rows: Fields[];
}

const MOST_COLUMNS = 12;
/** Columns are looked for in the first rows only. */
const LOOKED_AT = 50;

export function findRows(data: Json): Rows | null {
  if (Array.isArray(data)) return asRows("", data);
  if (!isFields(data)) return null;
  const found = Object.entries(data).flatMap(([name, value]) => {
    const rows = Array.isArray(value) ? asRows(name, value) : null;
    return rows === null ? [] : [rows];
  });
  return found.toSorted((a, b) => b.rows.length - a.rows.length)[0] ?? null;
}

function asRows(name: string, list: Json[]): Rows | null {
  if (list.length === 0 || !list.every((item) => isFields(item))) return null;
  const columns = [...new Set(list.slice(0, LOOKED_AT).flatMap((row) => Object.keys(row)))].slice(0, MOST_COLUMNS);
  return columns.length === 0 ? null : { name, columns, rows: list };
}

/** A cell on one line. An amount that carries its human form shows that. */
export function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (isFields(value) && typeof value.text === "string") return value.text;
  return JSON.stringify(value);
}
