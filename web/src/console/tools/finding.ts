// Which tools there are for a word, and in which family each belongs.
import type { ToolInfo } from "../../api/types";
import type { ConsoleTexts } from "../texts";

/** Toolsets that are choices across families, not families. */
const ACROSS = new Set(["chat", "core"]);

export function familyOf(tool: ToolInfo): string {
  return tool.toolsets.find((name) => !ACROSS.has(name)) ?? tool.toolsets[0] ?? "other";
}

export function familyName(family: string, text: ConsoleTexts["tools"]): string {
  return Object.hasOwn(text.families, family)
    ? text.families[family as keyof typeof text.families]
    : family.charAt(0).toUpperCase() + family.slice(1);
}

export interface Family {
  name: string;
  tools: ToolInfo[];
}

/** In the order in which the server lists them. */
export function families(tools: readonly ToolInfo[]): Family[] {
  const found = new Map<string, ToolInfo[]>();
  for (const tool of tools) {
    const family = familyOf(tool);
    found.set(family, [...(found.get(family) ?? []), tool]);
  }
  return [...found].map(([name, inside]) => ({ name, tools: inside }));
}

/** Every word must be found somewhere; a tool whose name has it comes before one that only speaks of it. */
export function findTools(tools: readonly ToolInfo[], query: string): ToolInfo[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...tools];
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

function scoreOf(tool: ToolInfo, words: readonly string[]): number {
  const name = tool.name.toLowerCase();
  const keywords = tool.keywords.map((keyword) => keyword.toLowerCase());
  const prose = `${tool.description} ${tool.description_zh} ${tool.toolsets.join(" ")}`.toLowerCase();
  let score = 0;
  for (const word of words) {
    const found = name === word ? 8 : name.includes(word) ? 4 : keywords.some((one) => one.includes(word)) ? 2 : prose.includes(word) ? 1 : 0;
    if (found === 0) return 0;
    score += found;
  }
  return score;
}
