// Pasting a key: where it is kept, and whether it works.
import { Button, Input, Radio } from "antd";
import { useId, useState } from "react";

import type { Models, Provider } from "../../api/types";
import { useText } from "../../i18n";
import { sayError } from "../../shell/Problem";
import styles from "../settings.module.css";
import { TestResult } from "./TestResult";
import { usualModelOf } from "./usualModel";
import { useModelActions } from "./useModelActions";

interface Props {
  provider: Provider;
  keyring: Models["keyring"];
  /** The key was kept and the model answers. */
  onWorks?: () => void;
}

export function KeyForm({ provider, keyring, onWorks }: Props) {
  const text = useText();
  const words = text.settings;
  const id = useId();
  const { saveKey, test } = useModelActions();
  const [key, setKey] = useState("");
  const [where, setWhere] = useState<"keyring" | "file">(keyring.available ? "keyring" : "file");
  const model = usualModelOf(provider);
  const pending = saveKey.isPending || test.isPending;
  const submit = async () => {
    test.reset();
    const pasted = key.trim();
    if (pasted !== "") {
      await saveKey.mutateAsync({ provider: provider.name, key: pasted, where });
      setKey("");
    }
    const result = await test.mutateAsync(model);
    if (result.ok) onWorks?.();
  };
  return (
    <form
      className={styles.keyForm}
      onSubmit={(event) => {
        event.preventDefault();
        // What failed is shown below the form.
        submit().catch(() => undefined);
      }}
    >
      {provider.needs_key && (
        <>
          <label htmlFor={id}>{words.key}</label>
          <Input.Password
            id={id}
            value={key}
            autoComplete="off"
            spellCheck={false}
            placeholder={words.keyPlaceholder(provider.title)}
            onChange={(event) => setKey(event.target.value)}
          />
          <div className={styles.where}>
            <span id={`${id}-where`}>{words.keepIn}</span>
            <Radio.Group
              aria-labelledby={`${id}-where`}
              value={where}
              onChange={(event) => setWhere(event.target.value as "keyring" | "file")}
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
        </>
      )}
      <div>
        <Button
          type="primary"
          htmlType="submit"
          loading={pending}
          disabled={provider.needs_key && !provider.has_key && key.trim() === ""}
        >
          {provider.needs_key && key.trim() !== "" ? words.saveAndTest : words.test}
        </Button>
      </div>
      {saveKey.isError && <p className={styles.bad}>{sayError(saveKey.error, text).message}</p>}
      <TestResult pending={test.isPending} result={test.data} error={test.error} />
    </form>
  );
}
