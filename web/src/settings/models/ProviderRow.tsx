// One provider: whether it has a key, where from, and a place to give it one.
import { CheckCircleFilled, MinusCircleOutlined } from "@ant-design/icons";
import { App, Button } from "antd";
import { useState } from "react";

import type { Models, Provider } from "../../api/types";
import { type Texts, useText } from "../../i18n";
import { sayError } from "../../shell/Problem";
import styles from "../settings.module.css";
import { ProviderForm } from "./ProviderForm";
import { useModelActions } from "./useModelActions";

interface Props {
  provider: Provider;
  keyring: Models["keyring"];
  owner: boolean;
}

export function keyState(provider: Provider, text: Texts): string {
  if (!provider.needs_key) return text.settings.needsNoKey;
  if (!provider.has_key || provider.key_source === null) return text.settings.noKey;
  return text.settings.keyFrom[provider.key_source];
}

export function ProviderRow({ provider, keyring, owner }: Props) {
  const text = useText();
  const words = text.settings;
  const { modal, message } = App.useApp();
  const { removeKey, setUsual } = useModelActions();
  const [open, setOpen] = useState(false);
  const [saved, setSaved] = useState<string | null>(null);
  const usable = provider.has_key || !provider.needs_key;
  const removable = provider.has_key && provider.key_source !== "environment";
  const remove = () => {
    modal.confirm({
      title: words.removeKeyQuestion(provider.title),
      content: words.removeKeyText,
      okText: words.removeKey,
      cancelText: words.cancel,
      okButtonProps: { danger: true },
      onOk: () =>
        removeKey.mutateAsync(provider.name).catch((error: unknown) => {
          void message.error(sayError(error, text).message);
        }),
    });
  };
  const action = !provider.needs_key ? words.setUp : provider.has_key ? words.changeKey : words.setKey;
  return (
    <li className={styles.item}>
      <div className={styles.line}>
        {usable ? (
          <CheckCircleFilled aria-hidden className={styles.good} />
        ) : (
          <MinusCircleOutlined aria-hidden className={styles.faint} />
        )}
        <div className={styles.grow}>
          <strong>{provider.title}</strong>
          <span className={styles.sub}>{keyState(provider, text)}</span>
        </div>
        {removable && (
          <Button type="text" danger size="small" disabled={!owner} onClick={remove}>
            {words.removeKey}
          </Button>
        )}
        <Button
          size="small"
          disabled={!owner}
          aria-expanded={open}
          aria-label={`${open ? words.cancel : action}: ${provider.title}`}
          onClick={() => setOpen(!open)}
        >
          {open ? words.cancel : action}
        </Button>
      </div>
      {open && <ProviderForm provider={provider} keyring={keyring} asDefault={false} onSaved={setSaved} />}
      {open && saved !== null && (
        <Button
          size="small"
          disabled={setUsual.isSuccess}
          loading={setUsual.isPending}
          onClick={() => setUsual.mutate(`${provider.name}/${saved}`)}
        >
          {words.makeDefault(`${provider.name}/${saved}`)}
        </Button>
      )}
    </li>
  );
}
