// The key of a provider, where to get one, and where it is kept.
import { Input, Radio } from "antd";
import { useId } from "react";

import type { KeySource, Models, Provider } from "../../api/types";
import { useText } from "../../i18n";
import styles from "../settings.module.css";
import { titleOf } from "./titleOf";

export type KeyPlace = Exclude<KeySource, "environment">;

interface Props {
  provider: Provider;
  keyring: Models["keyring"];
  value: string;
  onChange: (key: string) => void;
  onLeave: () => void;
  where: KeyPlace;
  onWhere: (where: KeyPlace) => void;
}

export function KeyField({ provider, keyring, value, onChange, onLeave, where, onWhere }: Props) {
  const text = useText();
  const words = text.settings;
  const title = titleOf(provider, text);
  const id = useId();
  const placeholder = provider.has_key
    ? words.keyStored
    : provider.needs_key
      ? words.keyPlaceholder(title)
      : words.keyOptional;
  return (
    <div className={styles.field}>
      <div className={styles.line}>
        <label htmlFor={id}>{words.key}</label>
        {provider.key_url !== null && (
          <a href={provider.key_url} target="_blank" rel="noreferrer">
            {words.getKey(title)}
          </a>
        )}
      </div>
      <Input.Password
        id={id}
        value={value}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onLeave}
      />
      <div className={styles.where}>
        <span id={`${id}-where`}>{words.keepIn}</span>
        <Radio.Group
          aria-labelledby={`${id}-where`}
          value={where}
          onChange={(event) => onWhere(event.target.value as KeyPlace)}
          options={[
            { value: "keyring", label: words.keyring, disabled: !keyring.available },
            { value: "file", label: words.file },
          ]}
        />
      </div>
      {!keyring.available && (
        <p className={styles.hint}>
          {words.noKeyring} {keyring.why}
        </p>
      )}
    </div>
  );
}
