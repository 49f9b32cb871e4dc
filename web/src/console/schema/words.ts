// What the checks and the kinds of a schema are called.
import type { Json } from "../../api/types";
import type { ConsoleTexts } from "../texts";
import { type Schema, see } from "./schema";
import type { Fault } from "./validate";

type FormTexts = ConsoleTexts["form"];

export function typeName(type: string, text: FormTexts): string {
  return Object.hasOwn(text.types, type) ? text.types[type as keyof typeof text.types] : type;
}

export function faultText(fault: Fault, text: FormTexts): string {
  const { faults } = text;
  switch (fault.code) {
    case "required":
    case "unknown":
    case "repeated":
    case "choice":
      return faults[fault.code];
    case "type":
      return faults.type(typeName(fault.expected, text));
    case "options":
      return faults.options(fault.allowed.map(shortJson).join(", "));
    case "pattern":
      return faults.pattern(fault.pattern);
    default:
      return faults[fault.code](fault.limit);
  }
}

/** A value on one line, texts without their quotes. */
export function shortJson(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** The type of a schema in a few words: `list of text`, `text or list of text`. */
export function schemaName(schema: unknown, root: unknown, text: FormTexts, depth = 0): string {
  const { kind, schema: it, options, branches, nullable } = see(schema, root);
  const name = (() => {
    switch (kind) {
      case "text":
        return typeName("string", text);
      case "options":
        return options.map((option) => shortJson(option.value)).join(" | ");
      case "choice":
        return depth > 2 ? "…" : branches.map((branch) => branchName(branch, root, text, depth + 1)).join(" | ");
      case "list":
        return it.items === undefined || depth > 2
          ? typeName("array", text)
          : `${typeName("array", text)}<${schemaName(it.items, root, text, depth + 1)}>`;
      case "object":
      case "map":
        return it.title ?? typeName("object", text);
      default:
        return typeName(kind, text);
    }
  })();
  return nullable ? `${name} | null` : name;
}

/** How an alternative is called: its title, the one value that marks it, or its type. */
export function branchName(branch: Schema, root: unknown, text: FormTexts, depth = 0): string {
  if (branch.title !== undefined) return branch.title;
  for (const property of Object.values(branch.properties ?? {})) {
    const { options } = see(property, root);
    if (options.length === 1 && options[0] !== undefined) return shortJson(options[0].value);
  }
  return schemaName(branch, root, text, depth);
}
