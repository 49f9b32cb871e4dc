// One provider: whether it has a key, where from, and a place to give it one.
import { CheckCircleFilled, MinusCircleOutlined } from "@ant-design/icons";
import { App, Button } from "antd";
import { useState } from "react";

import type { Models, Provider } from "../../api/types";
import { type Texts, useText } from "../../i18n";
import { Problem, sayInOneLine } from "../../shell/Problem";
import styles from "../settings.module.css";
import { Warnings } from "../Warnings";
import { ProviderForm } from "./ProviderForm";
import { titleOf } from "./titleOf";
import { useModelActions } from "./useModelActions";

interface Props {
  provider: Provider;
  keyring: Models["keyring"];
  usual: Models["usual"];
  owner: boolean;
}

export function keyState(provider: Provider, text: Texts): string {
  const words = text.settings;
  if (provider.has_key && provider.key_source !== null) return words.keyFrom[provider.key_source];
  if (provider.needs_key) return words.noKey;
  return provider.base_url === null ? words.noAddress : words.needsNoKey;
}

export function ProviderRow({ provider, keyring, usual, owner }: Props) {
  const text = useText();
  const words = text.settings;
  const { modal, message } = App.useApp();
  const { removeKey, setUsual } = useModelActions();
  const [open, setOpen] = useState(false);
  const [saved, setSaved] = useState<string | null>(null);
  // Whether a server on this machine runs is known only once it is asked.
  const isSetUp = provider.needs_key ? provider.has_key : provider.base_url !== null && provider.start === null;
  const title = titleOf(provider, text);
  const savedModel = `${provider.name}/${saved ?? ""}`;
  const removable = provider.has_key && provider.key_source !== "environment";
  const remove = () => {
    modal.confirm({
      title: words.removeKeyQuestion(title),
      content: words.removeKeyText,
      okText: words.removeKey,
      cancelText: words.cancel,
      okButtonProps: { danger: true },
      onOk: () =>
        removeKey.mutateAsync(provider.name).catch((error: unknown) => {
          void message.error(sayInOneLine(error, text));
        }),
    });
  };
  const action = !provider.needs_key ? words.setUp : provider.has_key ? words.changeKey : words.setKey;
  return (
    <li className={styles.item}>
      <div className={styles.line}>
        {isSetUp ? (
          <CheckCircleFilled aria-hidden className={styles.good} />
        ) : (
          <MinusCircleOutlined aria-hidden className={styles.faint} />
        )}
        <div className={styles.grow}>
          <strong>{title}</strong>
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
          aria-label={`${open ? words.cancel : action}: ${title}`}
          onClick={() => setOpen(!open)}
        >
          {open ? words.cancel : action}
        </Button>
      </div>
      {open && <ProviderForm provider={provider} keyring={keyring} asDefault={false} onSaved={setSaved} />}
      {open && saved !== null && (
        <>
          <Button
            size="small"
            disabled={usual === savedModel}
            loading={setUsual.isPending}
            onClick={() => setUsual.mutate(savedModel)}
          >
            {words.makeDefault(savedModel)}
          </Button>
          {setUsual.isError && <Problem error={setUsual.error} />}
          <Warnings title={words.savedWith} warnings={setUsual.data?.warnings} />
        </>
      )}
    </li>
  );
}
