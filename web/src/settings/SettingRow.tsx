// One setting: what it does, its value, where that comes from, and the way back to the default.
import { UndoOutlined } from "@ant-design/icons";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button, Tooltip } from "antd";
import { useId } from "react";

import { api } from "../api/client";
import { keys } from "../api/keys";
import type { Json, Setting, Settings } from "../api/types";
import { useText } from "../i18n";
import { sayError } from "../shell/Problem";
import { SettingControl } from "./SettingControl";
import styles from "./settings.module.css";
import { isFixed, sourceOf } from "./source";

export function SettingRow({ setting, owner }: { setting: Setting; owner: boolean }) {
  const text = useText();
  const words = text.settings;
  const id = useId();
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (value: Json) => api.put<Settings>("settings", { [setting.key]: value }),
    onSuccess: (settings) => {
      client.setQueryData(keys.settings, settings);
      void client.invalidateQueries({ queryKey: keys.about });
      void client.invalidateQueries({ queryKey: keys.models });
    },
  });
  const source = sourceOf(setting);
  const fixed = isFixed(source);
  const said = save.isError ? sayError(save.error, text) : null;
  return (
    <li className={styles.item}>
      <div className={styles.setting}>
        <div className={styles.grow}>
          <code className={styles.key}>{setting.key}</code>
          <span className={styles.sub} id={`${id}-about`}>
            {words.about(setting.key, setting.about)}
          </span>
          <span className={styles.source} title={source.detail ?? undefined}>
            {fixed ? words.fixed(source.detail ?? words.from[source.kind]) : words.from[source.kind]}
          </span>
        </div>
        <div className={styles.control}>
          <SettingControl
            key={JSON.stringify(setting.value)}
            setting={setting}
            describedBy={`${id}-about`}
            disabled={!owner || fixed}
            saving={save.isPending}
            onSave={(value) => save.mutate(value)}
          />
          {source.kind === "file" && (
            <Tooltip title={`${words.reset}: ${JSON.stringify(setting.default)}`}>
              <Button
                type="text"
                size="small"
                aria-label={`${words.reset}: ${setting.key}`}
                icon={<UndoOutlined aria-hidden />}
                disabled={!owner}
                onClick={() => save.mutate(null)}
              />
            </Tooltip>
          )}
        </div>
      </div>
      <div role="status">
        {said !== null && (
          <p className={styles.bad}>
            {said.message} {said.hint}
          </p>
        )}
      </div>
    </li>
  );
}
