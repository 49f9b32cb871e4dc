// Where the value of a setting comes from, and whether it can be changed here.
import type { Setting } from "../api/types";

export type SourceKind = "default" | "file" | "workspace" | "environment" | "flag" | "other";

export interface SettingSource {
  kind: SourceKind;
  /** The file, variable or flag, where it is known. */
  detail: string | null;
}

/** The server writes a source as an object with its kind, or as the short text that the command line shows. */
export function sourceOf({ source }: Pick<Setting, "source">): SettingSource {
  if (typeof source === "object") {
    const detail = source.path ?? source.variable ?? source.flag ?? null;
    return { kind: kindOf(source.from), detail };
  }
  if (source === "" || source === "default") return { kind: "default", detail: null };
  if (source.startsWith("--")) return { kind: "flag", detail: source };
  const variable = /DESKHAND_[A-Z0-9_]+/.exec(source)?.[0];
  if (variable !== undefined) return { kind: "environment", detail: variable };
  if (/\.deskhand[/\\]/.test(source)) return { kind: "workspace", detail: source };
  return { kind: "file", detail: source === "file" ? null : source };
}

function kindOf(from: string): SourceKind {
  switch (from) {
    case "default":
    case "file":
    case "workspace":
    case "environment":
    case "flag":
      return from;
    default:
      return "other";
  }
}

/** What was said at the start of the program wins over what is written into a file now. */
export function isFixed({ kind }: SettingSource): boolean {
  return kind === "environment" || kind === "flag";
}

/** Settings by the first part of their name, in the order in which the groups first appear. */
export function grouped(settings: readonly Setting[]): [string, Setting[]][] {
  const groups = new Map<string, Setting[]>();
  for (const setting of settings) {
    const [first = ""] = setting.key.split(".");
    const group = setting.key.includes(".") ? first : "general";
    groups.set(group, [...(groups.get(group) ?? []), setting]);
  }
  return [...groups];
}
