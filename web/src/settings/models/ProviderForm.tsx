// One provider: address, key and model. They are tested as they are typed, and saved when they work.
import { Button, Checkbox, Input } from "antd";
import { useEffect, useId, useRef, useState } from "react";

import type { ModelError, Models, Provider } from "../../api/types";
import { useText } from "../../i18n";
import { sayInOneLine } from "../../shell/Problem";
import styles from "../settings.module.css";
import { Warnings } from "../Warnings";
import { KeyField, type KeyPlace } from "./KeyField";
import { ModelField } from "./ModelField";
import { hostOf } from "./ModelProblem";
import { TestResult } from "./TestResult";
import { type Typed, useModelActions } from "./useModelActions";

interface Props {
  provider: Provider;
  keyring: Models["keyring"];
  /** Whether the model becomes the default one. */
  asDefault: boolean;
  /** All was saved; the model as the provider names it. */
  onSaved?: (model: string) => void;
}

/** After these a key helps, also where none is needed as a rule. */
const KEY_PROBLEMS = ["no_key", "wrong_key", "key_held_back"];

export function ProviderForm({ provider, keyring, asDefault, onSaved }: Props) {
  const text = useText();
  const words = text.settings;
  const id = useId();
  const { list, test, save } = useModelActions();
  const before = provider.base_url ?? "";
  const isCloud = provider.needs_key;
  const [address, setAddress] = useState(before);
  const [showsAddress, setShowsAddress] = useState(!isCloud);
  const [key, setKey] = useState("");
  const [useStored, setUseStored] = useState(false);
  const [where, setWhere] = useState<KeyPlace>(keyring.available ? "keyring" : "file");
  const [model, setModel] = useState(provider.default_model ?? "");
  const isMoved = address.trim() !== before;
  const isElsewhere = isMoved && before !== "" && hostOf(address.trim()) !== hostOf(before);
  const asksForKey = provider.has_key && isElsewhere && key.trim() === "";
  const typed: Typed = {
    ...(isMoved && { base_url: address.trim() }),
    ...(key.trim() !== "" && { key: key.trim() }),
    ...(asksForKey && useStored && { use_stored_key: true }),
  };
  const lacksKey = provider.needs_key && !provider.has_key && key.trim() === "";
  const isComplete = address.trim() !== "" && !lacksKey;

  const [wantsKey, setWantsKey] = useState(provider.has_key || provider.start === null);
  const noteKey = (error: ModelError | undefined) => {
    if (error !== undefined && KEY_PROBLEMS.includes(error.problem)) setWantsKey(true);
  };

  // Grows with each edit and each request: an answer to something older decides nothing.
  const round = useRef(0);
  const asked = useRef("");
  const edited = () => {
    round.current += 1;
    test.reset();
    save.reset();
  };
  const placeEdited = () => {
    edited();
    list.reset();
    asked.current = "";
  };
  const load = async (again: boolean) => {
    const wanted = JSON.stringify(typed);
    if (!isComplete || (!again && asked.current === wanted)) return;
    asked.current = wanted;
    edited();
    const now = round.current;
    const { models, error } = await list.mutateAsync({ provider: provider.name, ...typed });
    noteKey(error);
    if (round.current === now) setModel((chosen) => suggestion(models, chosen, provider.default_model));
  };
  const loadQuietly = (again: boolean) => {
    // What failed is shown below the model.
    load(again).catch(() => undefined);
  };
  useEffect(() => {
    loadQuietly(false);
    // Once, with what is stored; after that when a field is left.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  const store = async () => {
    await save.mutateAsync({
      provider: provider.name,
      ...typed,
      ...(key.trim() !== "" && { where }),
      ...(asDefault && { model: model.trim() }),
    });
    setKey("");
    onSaved?.(model.trim());
  };
  const submit = async () => {
    edited();
    const now = round.current;
    const result = await test.mutateAsync({ model: `${provider.name}/${model.trim()}`, ...typed });
    noteKey(result.error);
    if (result.ok && round.current === now) await store();
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
      {showsAddress ? (
        <div className={styles.field}>
          <label htmlFor={`${id}-address`}>{words.address}</label>
          <Input
            id={`${id}-address`}
            value={address}
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="http://127.0.0.1:8080/v1"
            onChange={(event) => {
              setAddress(event.target.value);
              placeEdited();
            }}
            onBlur={() => loadQuietly(false)}
          />
          {provider.name === "custom" && <p className={styles.hint}>{words.addressHint}</p>}
        </div>
      ) : (
        <div className={styles.line}>
          <span className={styles.sub}>
            {words.address}: <code>{address}</code>
          </span>
          <Button type="link" size="small" className={styles.bare} onClick={() => setShowsAddress(true)}>
            {words.changeAddress}
          </Button>
        </div>
      )}
      {(isCloud || wantsKey) && (
        <KeyField
          provider={provider}
          keyring={keyring}
          value={key}
          onChange={(typed) => {
            setKey(typed);
            placeEdited();
          }}
          onLeave={() => loadQuietly(false)}
          where={where}
          onWhere={setWhere}
        />
      )}
      {asksForKey && (
        <Checkbox
          checked={useStored}
          onChange={(event) => {
            setUseStored(event.target.checked);
            edited();
          }}
        >
          {words.useStoredKey(hostOf(address.trim()))}
        </Checkbox>
      )}
      <ModelField
        provider={provider}
        address={list.variables?.base_url ?? before}
        value={model}
        onChange={(chosen) => {
          setModel(chosen);
          edited();
        }}
        pending={list.isPending}
        list={list.data}
        onReload={() => loadQuietly(true)}
        quiet={test.isPending || test.data !== undefined}
      />
      <div>
        <Button
          type="primary"
          htmlType="submit"
          loading={test.isPending || save.isPending}
          disabled={!isComplete || model.trim() === ""}
        >
          {words.testAndSave}
        </Button>
      </div>
      <TestResult
        pending={test.isPending}
        result={test.data}
        error={test.error ?? (test.data === undefined ? list.error : null)}
        provider={provider}
        address={test.variables?.base_url ?? before}
        model={test.variables?.model.slice(provider.name.length + 1) ?? ""}
      >
        <Button size="small" loading={save.isPending} onClick={() => void store().catch(() => undefined)}>
          {words.saveAnyway}
        </Button>
      </TestResult>
      {save.isError && (
        <p className={styles.bad} role="alert">
          {sayInOneLine(save.error, text)}
        </p>
      )}
      <Warnings title={words.savedWith} warnings={save.data?.warnings} />
    </form>
  );
}

/** What was chosen stays. Where nothing was, it is the only model there is; a default that the list lacks is none. */
function suggestion(models: readonly string[], chosen: string, usual: string | null): string {
  const [first, ...others] = models;
  if (first === undefined || (chosen !== "" && chosen !== usual) || models.includes(chosen)) return chosen;
  return others.length === 0 ? first : "";
}
