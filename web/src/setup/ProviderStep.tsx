// One provider: its key, a test, and then it is the one to talk to.
import { ArrowLeftOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";

import type { Models, Provider } from "../api/types";
import { useText } from "../i18n";
import { navigate } from "../router";
import { KeyForm } from "../settings/models/KeyForm";
import { usualModelOf } from "../settings/models/usualModel";
import { useModelActions } from "../settings/models/useModelActions";
import { Problem } from "../shell/Problem";
import { passSetup } from "./firstRun";
import styles from "./setup.module.css";

interface Props {
  provider: Provider;
  keyring: Models["keyring"];
  onBack: () => void;
}

export function ProviderStep({ provider, keyring, onBack }: Props) {
  const text = useText().setup;
  const { setUsual } = useModelActions();
  const [works, setWorks] = useState(false);
  const start = async () => {
    await setUsual.mutateAsync(usualModelOf(provider));
    passSetup();
    navigate({ name: "home" });
  };
  return (
    <section className={styles.step} aria-labelledby="setup-provider">
      <Button type="link" size="small" className={styles.back} icon={<ArrowLeftOutlined aria-hidden />} onClick={onBack}>
        {text.back}
      </Button>
      <h2 id="setup-provider">{provider.needs_key ? text.pasteKey(provider.title) : provider.title}</h2>
      <p className={styles.hint}>{provider.needs_key ? text.pasteKeyHint : text.localHint}</p>
      {provider.default_model !== null && (
        <p className={styles.hint}>
          {text.model}: <code>{usualModelOf(provider)}</code>
        </p>
      )}
      <KeyForm provider={provider} keyring={keyring} onWorks={() => setWorks(true)} />
      {works && (
        <Button
          type="primary"
          size="large"
          block
          className={styles.go}
          loading={setUsual.isPending}
          onClick={() => void start().catch(() => undefined)}
        >
          {text.testAndGo}
        </Button>
      )}
      {setUsual.isError && <Problem error={setUsual.error} />}
    </section>
  );
}
