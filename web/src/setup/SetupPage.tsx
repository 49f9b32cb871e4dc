// The first run: choose who thinks, give it a key, try it; or look at the demo, or go on without.
import { ArrowRightOutlined, PlayCircleOutlined, ToolOutlined } from "@ant-design/icons";
import { useState } from "react";

import { useAbout, useModels } from "../api/queries";
import { useText } from "../i18n";
import { navigate } from "../router";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import { passSetup } from "./firstRun";
import { ProviderChoice } from "./ProviderChoice";
import { ProviderStep } from "./ProviderStep";
import styles from "./setup.module.css";
import { useDemo } from "./useDemo";

export function SetupPage() {
  const text = useText().setup;
  const models = useModels();
  const owner = useAbout().data?.user.owner ?? true;
  const [chosen, setChosen] = useState<string | null>(null);
  const provider = models.data?.providers.find(({ name }) => name === chosen);
  return (
    <div className={styles.page}>
      <img src="/icon.svg" alt="" width={44} height={44} />
      <h1>{text.welcome}</h1>
      <p className={styles.intro}>{text.intro}</p>
      {models.isPending && <Loading />}
      {models.isError && <Problem error={models.error} onRetry={() => void models.refetch()} />}
      {!owner && <p className={styles.intro}>{text.notOwner}</p>}
      {owner && models.data && !provider && <ProviderChoice providers={models.data.providers} onChoose={setChosen} />}
      {owner && models.data && provider && (
        <ProviderStep
          key={provider.name}
          provider={provider}
          keyring={models.data.keyring}
          onBack={() => setChosen(null)}
        />
      )}
      <OtherWays />
    </div>
  );
}

function OtherWays() {
  const text = useText().setup;
  const demo = useDemo();
  const without = () => {
    passSetup();
    navigate({ name: "tools" });
  };
  const showDemo = () => {
    passSetup();
    demo.mutate();
  };
  return (
    <>
      <div className={styles.ways}>
        <button type="button" className={styles.way} disabled={demo.isPending} onClick={showDemo}>
          <PlayCircleOutlined aria-hidden className={styles.wayIcon} />
          <span>
            <strong>{text.tryDemo}</strong>
            <small>{text.demoAbout}</small>
          </span>
          <ArrowRightOutlined aria-hidden />
        </button>
        <button type="button" className={styles.way} onClick={without}>
          <ToolOutlined aria-hidden className={styles.wayIcon} />
          <span>
            <strong>{text.without}</strong>
            <small>{text.withoutAbout}</small>
          </span>
          <ArrowRightOutlined aria-hidden />
        </button>
      </div>
      {demo.isError && <Problem error={demo.error} onRetry={showDemo} />}
    </>
  );
}
