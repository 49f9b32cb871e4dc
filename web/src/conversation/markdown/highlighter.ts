// The languages that can be coloured. Loaded when the first code block wants it.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

import { type Coloured, colouredOf } from "./coloured";

const languages = {
  bash, c, cpp, css, diff, dockerfile, go, ini, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(["console", "shell", "shell-session", "terminal"], { languageName: "bash" });
hljs.registerAliases(["tsx"], { languageName: "typescript" });
hljs.registerAliases(["jsonc", "json5", "jsonl"], { languageName: "json" });

export function colour(text: string, language: string): Coloured[] | null {
  const name = language.toLowerCase();
  if (hljs.getLanguage(name) === undefined) return null;
  return colouredOf(hljs.highlight(text, { language: name, ignoreIllegals: true }).value);
}
