// One provider: its address, key and model, a test, and then it is the one to talk to.
import { ArrowLeftOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";

import type { Models, Provider } from "../api/types";
import { useText } from "../i18n";
import { navigate } from "../router";
import { ProviderForm } from "../settings/models/ProviderForm";
import { titleOf } from "../settings/models/titleOf";
import { passSetup } from "./firstRun";
import styles from "./setup.module.css";

interface Props {
  provider: Provider;
  keyring: Models["keyring"];
  onBack: () => void;
}

export function ProviderStep({ provider, keyring, onBack }: Props) {
  const texts = useText();
  const text = texts.setup;
  const [saved, setSaved] = useState(false);
  const start = () => {
    passSetup();
    navigate({ name: "home" });
  };
  const hint = provider.needs_key ? text.pasteKeyHint : provider.name === "custom" ? text.customHint : text.localHint;
  return (
    <section className={styles.step} aria-labelledby="setup-provider">
      <Button type="link" size="small" className={styles.back} icon={<ArrowLeftOutlined aria-hidden />} onClick={onBack}>
        {text.back}
      </Button>
      <h2 id="setup-provider">{text.setUp(titleOf(provider, texts))}</h2>
      <p className={styles.hint}>{hint}</p>
      <ProviderForm provider={provider} keyring={keyring} asDefault onSaved={() => setSaved(true)} />
      {saved && (
        <Button type="primary" size="large" block className={styles.go} onClick={start}>
          {text.testAndGo}
        </Button>
      )}
    </section>
  );
}
