// Models and keys: the usual model, and every provider with its key.
import { AutoComplete, Button } from "antd";
import { useState } from "react";

import { useAbout, useModels } from "../../api/queries";
import type { Models } from "../../api/types";
import { useText } from "../../i18n";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import styles from "../settings.module.css";
import { Warnings } from "../Warnings";
import { ProviderRow } from "./ProviderRow";
import { TestResult } from "./TestResult";
import { usualModelOf } from "./usualModel";
import { useModelActions } from "./useModelActions";

export function ModelsSection() {
  const text = useText().settings;
  const models = useModels();
  const owner = useAbout().data?.user.owner ?? true;
  if (models.isPending) return <Loading />;
  if (models.isError) return <Problem error={models.error} onRetry={() => void models.refetch()} />;
  return (
    <>
      {!owner && <p className={styles.hint}>{text.readOnly}</p>}
      <Usual key={models.data.usual} models={models.data} owner={owner} />
      <h2 className={styles.group}>{text.providers}</h2>
      <ul className={styles.card}>
        {models.data.providers.map((provider) => (
          <ProviderRow key={provider.name} provider={provider} keyring={models.data.keyring} usual={models.data.usual} owner={owner} />
        ))}
      </ul>
    </>
  );
}

function Usual({ models, owner }: { models: Models; owner: boolean }) {
  const text = useText().settings;
  const { setUsual, test } = useModelActions();
  const [name, setName] = useState(models.usual ?? "");
  const known = new Set([
    ...models.models,
    ...models.providers
      .filter(({ default_model, has_key, needs_key }) => default_model !== null && (has_key || !needs_key))
      .map(usualModelOf),
  ]);
  const tried = models.providers.find((provider) => provider.name === test.variables?.model.split("/")[0]);
  return (
    <>
      <h2 className={styles.group}>{text.usual}</h2>
      <div className={styles.card}>
        <div className={styles.item}>
          <p className={styles.about}>{text.usualAbout}</p>
          <div className={styles.line}>
            <AutoComplete
              className={styles.grow}
              value={name}
              disabled={!owner}
              aria-label={text.usual}
              placeholder={models.usual === null ? text.usualPlaceholder : text.usualNone}
              options={[...known].map((value) => ({ value }))}
              showSearch={{ filterOption: (typed, option) => (option?.value ?? "").includes(typed) }}
              onChange={(value: string) => {
                setName(value);
                test.reset();
              }}
            />
            <Button
              type="primary"
              disabled={!owner || name.trim() === (models.usual ?? "")}
              loading={setUsual.isPending}
              onClick={() => setUsual.mutate(name.trim() === "" ? null : name.trim())}
            >
              {text.use}
            </Button>
            <Button disabled={name.trim() === ""} loading={test.isPending} onClick={() => test.mutate({ model: name.trim() })}>
              {text.test}
            </Button>
          </div>
          {setUsual.isError && <Problem error={setUsual.error} />}
          <Warnings title={text.savedWith} warnings={setUsual.data?.warnings} />
          <TestResult
            pending={test.isPending}
            result={test.data}
            error={test.error}
            provider={tried}
            address={tried?.base_url ?? null}
            model={test.variables?.model.replace(/^[^/]*\//, "") ?? ""}
          />
        </div>
      </div>
    </>
  );
}
