// Which answer to remember: what it covers, where, until when; and the sentence that comes of it.
import { Radio, Select } from "antd";

import type { ApprovalRequest, Remember, RememberScope, Shape } from "../../api/types";
import { useText } from "../../i18n";
import { useKept } from "../../text/kept";
import { visible } from "../../text/visible";
import { shownPath } from "../live";
import styles from "./approval.module.css";
import { type Lifetime, rememberWords, scopesOf, shapeKey, shapeWords, untilOf } from "./shapes";

interface Props {
  request: ApprovalRequest;
  shapes: readonly Shape[];
  yes: boolean;
  value: Remember;
  onChange: (remember: Remember) => void;
}

export function RememberChoice({ request, shapes, yes, value, onChange }: Props) {
  const words = useText().conversation.approval;
  const [lifetime, setLifetime] = useKept<Lifetime>(request.id, "lifetime", "open");
  return (
    <div className={styles.remember}>
      <fieldset>
        <legend>{words.covers}</legend>
        <Radio.Group
          vertical
          value={shapeKey(value.shape)}
          options={shapes.map((shape) => ({ value: shapeKey(shape), label: visible(shapeWords(shape, request.tool, words)) }))}
          onChange={(event) => {
            const shape = shapes.find((one) => shapeKey(one) === event.target.value);
            if (shape) onChange({ ...value, shape, scope: scopesOf(shape).includes(value.scope) ? value.scope : "session" });
          }}
        />
      </fieldset>
      <fieldset>
        <legend>{words.where}</legend>
        <Radio.Group
          value={value.scope}
          options={scopesOf(value.shape).map((scope) => ({ value: scope, label: words.scope[scope] }))}
          onChange={(event) => onChange({ ...value, scope: event.target.value as RememberScope })}
        />
      </fieldset>
      <label className={styles.until}>
        {words.until}
        <Select
          size="small"
          value={lifetime}
          options={(["open", "hour", "day", "week"] as const).map((one) => ({ value: one, label: words.lifetime[one] }))}
          onChange={(one: Lifetime) => {
            setLifetime(one);
            onChange({ ...value, until: untilOf(one, Date.now()) });
          }}
        />
      </label>
      <p className={styles.sentence} aria-live="polite">
        {visible(rememberWords(value, yes, request.tool, shownPath(request.workspace), words))}
      </p>
    </div>
  );
}
