// The model, chosen from the provider's own list with a search, or typed where there is no list.
import { AutoComplete, Button, Spin } from "antd";
import { useId } from "react";

import type { AvailableModels, Provider } from "../../api/types";
import { useText } from "../../i18n";
import styles from "../settings.module.css";
import { ModelProblem } from "./ModelProblem";

interface Props {
  provider: Provider;
  /** Where the list was asked for. */
  address: string;
  value: string;
  onChange: (model: string) => void;
  pending: boolean;
  list: AvailableModels | undefined;
  onReload: () => void;
  /** A problem of the list is not shown beside the same problem of a test. */
  quiet: boolean;
}

export function ModelField({ provider, address, value, onChange, pending, list, onReload, quiet }: Props) {
  const words = useText().settings;
  const id = useId();
  const names = list?.models ?? [];
  const matches = (typed: string, name: string) => name.toLowerCase().includes(typed.toLowerCase());
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{words.modelName}</label>
      <AutoComplete
        id={id}
        value={value}
        placeholder={names.length > 0 ? words.modelSearch : words.modelType}
        options={names.map((name) => ({ value: name }))}
        showSearch={{
          // A name that was chosen is no search: then all are offered.
          filterOption: (typed, option) => names.includes(typed) || matches(typed, option?.value ?? ""),
        }}
        onChange={onChange}
      />
      <div role="status" className={styles.line}>
        {pending && (
          <span className={styles.testing}>
            <Spin size="small" /> {words.modelsLoading}
          </span>
        )}
        {!pending && names.length > 0 && <span className={styles.sub}>{words.modelsFound(names.length)}</span>}
        {!pending && list !== undefined && (
          <Button type="link" size="small" className={styles.bare} onClick={onReload}>
            {words.modelsReload}
          </Button>
        )}
      </div>
      {!pending && !quiet && list?.error !== undefined && (
        <ModelProblem error={list.error} provider={provider} address={address} model="">
          <p>{words.modelsNone}</p>
        </ModelProblem>
      )}
    </div>
  );
}
