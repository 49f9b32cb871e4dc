// What a language has to have: the same keys as English, each a text or a function that makes one.
import type { en } from "./en";

export type Same<T> = {
  [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...parameters: infer P) => string
      ? (...parameters: P) => string
      : Same<T[K]>;
};

export type Texts = Same<typeof en>;
export type Language = "en" | "zh";
export const LANGUAGES: readonly { id: Language; name: string; tag: string }[] = [
  { id: "en", name: "English", tag: "en" },
  { id: "zh", name: "简体中文", tag: "zh-CN" },
];
