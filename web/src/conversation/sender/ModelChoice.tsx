// Which model answers.
import { Select } from "antd";

import { useModels } from "../../api/queries";
import { useText } from "../../i18n";
import styles from "./sender.module.css";

export function ModelChoice({ value, onChange }: { value: string | null; onChange: (model: string) => void }) {
  const words = useText().conversation.sender;
  const { data } = useModels();
  const chosen = value ?? data?.usual ?? null;
  const names = [...new Set([...(data?.models ?? []), ...(chosen === null ? [] : [chosen])])];
  if (names.length === 0) return null;
  return (
    <Select
      className={styles.model}
      variant="borderless"
      size="small"
      showSearch
      aria-label={words.model}
      placeholder={words.model}
      value={chosen}
      popupMatchSelectWidth={false}
      options={names.map((name) => ({ value: name, label: name }))}
      onChange={(name: string) => onChange(name)}
    />
  );
}
