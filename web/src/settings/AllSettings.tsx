// Every setting there is, grouped, with where its value comes from.
import { SearchOutlined } from "@ant-design/icons";
import { Input } from "antd";
import { useState } from "react";

import { useAbout, useSettings } from "../api/queries";
import { useText } from "../i18n";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import { SettingRow } from "./SettingRow";
import styles from "./settings.module.css";
import { grouped } from "./source";
import { Warnings } from "./Warnings";

export function AllSettings() {
  const text = useText().settings;
  const query = useSettings();
  const owner = useAbout().data?.user.owner ?? true;
  const [filter, setFilter] = useState("");
  if (query.isPending) return <Loading />;
  if (query.isError) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  const { settings, warnings } = query.data;
  const wanted = filter.trim().toLowerCase();
  const shown = settings.filter(({ key, about }) =>
    `${key} ${about} ${text.about(key, "")}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {!owner && <p className={styles.hint}>{text.readOnly}</p>}
      <Warnings title={text.warnings} warnings={warnings} />
      <Input
        allowClear
        className={styles.filter}
        prefix={<SearchOutlined aria-hidden />}
        aria-label={text.filter}
        placeholder={text.filter}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {shown.length === 0 && <p className={styles.hint}>{text.nothingFound}</p>}
      {grouped(shown).map(([group, members]) => (
        <section key={group} aria-label={text.groups[group] ?? group}>
          <h2 className={styles.group}>{text.groups[group] ?? group}</h2>
          <ul className={styles.card}>
            {members.map((setting) => (
              <SettingRow key={setting.key} setting={setting} owner={owner} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
