// What the page itself can be told, and what the server says of itself.
import { Button, Segmented } from "antd";
import { type ReactNode, useId, useState } from "react";

import { useAbout } from "../api/queries";
import type { About } from "../api/types";
import { LANGUAGES, useLanguage, useText } from "../i18n";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import { setThemePreference, useThemePreference } from "../theme/preference";
import styles from "./settings.module.css";

export function GeneralSection() {
  const text = useText().settings;
  const about = useAbout();
  return (
    <>
      <Appearance />
      <h2 className={styles.group}>{text.server}</h2>
      {about.isPending && <Loading />}
      {about.isError && <Problem error={about.error} onRetry={() => void about.refetch()} />}
      {about.data && <Server about={about.data} />}
    </>
  );
}

function Appearance() {
  const text = useText();
  const words = text.settings;
  const { language, setLanguage } = useLanguage();
  const preference = useThemePreference();
  return (
    <>
      <h2 className={styles.group}>{words.appearance}</h2>
      <div className={styles.card}>
        <Line label={words.language}>
          <Segmented
            aria-label={words.language}
            value={language}
            options={LANGUAGES.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setLanguage}
          />
        </Line>
        <Line label={words.theme}>
          <Segmented
            aria-label={words.theme}
            value={preference}
            options={(["light", "dark", "system"] as const).map((value) => ({
              value,
              label: text.shell.themes[value],
            }))}
            onChange={setThemePreference}
          />
        </Line>
        <Line label={words.notifications} about={words.notificationsAbout}>
          <Notifications />
        </Line>
      </div>
    </>
  );
}

function Notifications() {
  const text = useText().settings;
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : null));
  switch (permission) {
    case null:
      return <span className={styles.faint}>{text.notificationsNone}</span>;
    case "granted":
      return <span className={styles.good}>{text.notificationsOn}</span>;
    case "denied":
      return <span className={styles.faint}>{text.notificationsBlocked}</span>;
    case "default":
      return (
        <Button onClick={() => void Notification.requestPermission().then(setPermission)}>
          {text.notificationsAllow}
        </Button>
      );
  }
}

function Line({ label, about, children }: { label: string; about?: string; children: ReactNode }) {
  const id = useId();
  return (
    <div className={styles.item} role="group" aria-labelledby={id}>
      <div className={styles.line}>
        <div className={styles.grow}>
          <span id={id}>{label}</span>
          {about !== undefined && <span className={styles.sub}>{about}</span>}
        </div>
        {children}
      </div>
    </div>
  );
}

function Server({ about }: { about: About }) {
  const text = useText().settings;
  const facts: [string, ReactNode][] = [
    [text.version, about.version],
    [
      text.user,
      [about.user.name, about.user.owner ? text.owner : null, about.here ? text.here : text.elsewhere]
        .filter((part, index, parts) => part !== null && parts.indexOf(part) === index)
        .join(" · "),
    ],
    [text.mode, about.mode],
    [text.model, about.model ?? text.none],
    [
      text.workspaces,
      about.workspaces.map((path) => (
        <code key={path} className={styles.path}>
          {path}
        </code>
      )),
    ],
  ];
  return (
    <>
      <dl className={`${styles.card ?? ""} ${styles.facts ?? ""}`}>
        {facts.map(([name, value]) => (
          <div key={name} className={styles.item}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {about.unavailable.length > 0 && (
        <>
          <h2 className={styles.group}>{text.unavailable}</h2>
          <p className={styles.hint}>{text.unavailableAbout}</p>
          <ul className={styles.card}>
            {about.unavailable.map(({ tool, reason, remedy }) => (
              <li key={tool} className={styles.item}>
                <code>{tool}</code>
                <span className={styles.sub}>
                  {reason} {remedy}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
