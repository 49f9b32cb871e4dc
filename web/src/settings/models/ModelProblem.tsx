// What is wrong with a model and what to do about it; the provider's own words are shown as such.
import { Alert } from "antd";
import type { ReactNode } from "react";

import type { ModelError, Provider } from "../../api/types";
import { type Texts, useText } from "../../i18n";
import styles from "../settings.module.css";
import { titleOf } from "./titleOf";

type Problem = keyof Texts["settings"]["problems"];

interface Props {
  error: ModelError;
  provider: Provider | undefined;
  /** Where the server is. */
  address: string | null;
  /** As the provider names it. */
  model: string;
  children?: ReactNode;
}

/** `host:port` of an address as people write it. */
export function hostOf(address: string): string {
  const written = address.includes("://") ? address : `http://${address}`;
  return URL.canParse(written) ? new URL(written).host : address;
}

export function ModelProblem({ error, provider, address, model, children }: Props) {
  const text = useText();
  const words = text.settings;
  const problem = problemOf(error, provider, model, words.problems);
  const title = provider === undefined ? words.provider : titleOf(provider, text);
  const about = { title, host: address === null || address === "" ? title : hostOf(address), model };
  const command = commandFor(problem, provider, model);
  return (
    <Alert
      type="warning"
      showIcon
      title={words.problems[problem](about)}
      description={
        <>
          <p>{words.problemHints[problem]}</p>
          {command !== null && (
            <p>
              {words.runThis} <code>{command}</code>
            </p>
          )}
          <p className={styles.said}>
            {error.said === null ? words.details(error.message) : words.providerSaid(about.host, error.said)}
          </p>
          {children}
        </>
      }
    />
  );
}

function problemOf({ problem }: ModelError, provider: Provider | undefined, model: string, known: object): Problem {
  if (problem === "no_server" && provider?.start) return "not_running";
  if (problem === "no_such_model" && model === "") return "other";
  return problem in known ? (problem as Problem) : "other";
}

function commandFor(problem: Problem, provider: Provider | undefined, model: string): string | null {
  if (problem === "not_running") return provider?.start ?? null;
  if (problem === "no_models") return provider?.pull ?? null;
  if (problem === "no_such_model" && provider?.name === "ollama") return `ollama pull ${model}`;
  return null;
}
