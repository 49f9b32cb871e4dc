// Which provider: those in the cloud, and those on this machine.
import { CheckCircleFilled } from "@ant-design/icons";

import type { Provider } from "../api/types";
import { useText } from "../i18n";
import { titleOf } from "../settings/models/titleOf";
import styles from "./setup.module.css";

interface Props {
  providers: readonly Provider[];
  onChoose: (name: string) => void;
}

export function ProviderChoice({ providers, onChoose }: Props) {
  const texts = useText();
  const text = texts.setup;
  const groups = [
    { title: text.withKey, members: providers.filter(({ needs_key }) => needs_key) },
    { title: text.local, members: providers.filter(({ start }) => start !== null) },
    { title: text.other, members: providers.filter(({ needs_key, start }) => !needs_key && start === null) },
  ];
  return (
    <section aria-labelledby="setup-choose">
      <h2 id="setup-choose">{text.chooseProvider}</h2>
      <p className={styles.hint}>{text.chooseHint}</p>
      {groups.map(({ title, members }) =>
        members.length === 0 ? null : (
          <div key={title}>
            <h3 className={styles.groupTitle}>{title}</h3>
            <ul className={styles.grid}>
              {members.map((provider) => (
                <li key={provider.name}>
                  <button type="button" className={styles.provider} onClick={() => onChoose(provider.name)}>
                    <strong>{titleOf(provider, texts)}</strong>
                    {provider.has_key ? (
                      <small className={styles.ready}>
                        <CheckCircleFilled aria-hidden /> {text.ready}
                      </small>
                    ) : (
                      <small>{provider.name}</small>
                    )}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        ),
      )}
    </section>
  );
}
