// What every field of one form shares: the document that references point into, and what is wrong where.
import { createContext, use } from "react";

import { type Issue, type Path, pathText } from "./validate";

export interface FormState {
  root: unknown;
  /** Where ids of fields start, so that two forms can stand in one page. */
  id: string;
  disabled: boolean;
  /** What is wrong at exactly this place, where the person should hear of it. */
  issuesAt: (path: Path) => Issue[];
  touch: (path: Path) => void;
}

export const FormContext = createContext<FormState | null>(null);

export function useForm(): FormState {
  const state = use(FormContext);
  if (state === null) throw new Error("a field outside a form");
  return state;
}

export function fieldId(form: FormState, path: Path): string {
  return `${form.id}-${pathText(path)}`;
}
