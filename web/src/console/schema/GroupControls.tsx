// Controls that hold others: lists, free sets of names and values, and alternatives.
import { ArrowUpOutlined, DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Input, Segmented, Select } from "antd";

import type { Json } from "../../api/types";
import { useConsoleText } from "../texts";
import { useForm } from "./context";
import { Control, type ControlProps } from "./Control";
import { Field } from "./Field";
import styles from "./form.module.css";
import { type Fields, see } from "./schema";
import { blankOf, branchOf, carried, withField } from "./values";
import { branchName } from "./words";

export function ListControl({ name, seen, items, path, onChange }: ControlProps & { items: Json[] }) {
  const text = useConsoleText().form;
  const form = useForm();
  const replace = (index: number, next: Json | undefined) =>
    onChange(next === undefined ? items.toSpliced(index, 1) : items.with(index, next));
  return (
    <div className={styles.inside}>
      {items.map((item, index) => (
        // Items have no name but their place.
        <div key={index} className={styles.item}>
          <div className={styles.itemBody}>
            <Field
              name={`${name}[${index}]`}
              schema={seen.schema.items}
              value={item}
              path={[...path, index]}
              required
              onChange={(next) => replace(index, next)}
            />
          </div>
          {index > 0 && (
            <Button
              type="text"
              size="small"
              icon={<ArrowUpOutlined />}
              disabled={form.disabled}
              aria-label={text.moveUp(text.item(index + 1))}
              onClick={() => onChange(items.with(index, items[index - 1] ?? null).with(index - 1, item))}
            />
          )}
          <Button
            type="text"
            size="small"
            icon={<DeleteOutlined />}
            disabled={form.disabled}
            aria-label={text.remove(text.item(index + 1))}
            onClick={() => replace(index, undefined)}
          />
        </div>
      ))}
      <Button
        size="small"
        icon={<PlusOutlined />}
        disabled={form.disabled || items.length >= (seen.schema.maxItems ?? Infinity)}
        aria-label={text.addTo(name)}
        onClick={() => onChange([...items, blankOf(seen.schema.items, form.root)])}
      >
        {text.add}
      </Button>
    </div>
  );
}

export function MapControl({ name, seen, fields, path, onChange }: ControlProps & { fields: Fields }) {
  const text = useConsoleText().form;
  const form = useForm();
  const inside = seen.schema.additionalProperties ?? {};
  const rename = (index: number, to: string) => {
    const entries = Object.entries(fields);
    // Two of one name would be one of them lost.
    if (entries.some(([key], at) => key === to && at !== index)) return;
    onChange(Object.fromEntries(entries.map(([key, value], at) => [at === index ? to : key, value])));
  };
  const add = () => {
    let number = Object.keys(fields).length + 1;
    while (Object.hasOwn(fields, `name${number}`)) number += 1;
    onChange({ ...fields, [`name${number}`]: blankOf(inside, form.root) });
  };
  return (
    <div className={styles.inside}>
      {Object.entries(fields).map(([key, value], index) => (
        <div key={index} className={styles.item}>
          <Input
            className={styles.key ?? ""}
            value={key}
            disabled={form.disabled}
            aria-label={text.key}
            onChange={(event) => rename(index, event.target.value)}
          />
          <div className={styles.itemBody}>
            <Control
              id={`${form.id}-${name}-${index}`}
              name={text.value}
              label={`${text.value} ${key}`}
              seen={see(inside, form.root)}
              value={value}
              path={[...path, key]}
              usual={undefined}
              required
              invalid={form.issuesAt([...path, key]).length > 0}
              describedBy={undefined}
              onChange={(next) => onChange(withField(fields, key, next ?? null))}
              onTouch={() => form.touch([...path, key])}
            />
          </div>
          <Button
            type="text"
            size="small"
            icon={<DeleteOutlined />}
            disabled={form.disabled}
            aria-label={text.remove(key)}
            onClick={() => onChange(withField(fields, key, undefined))}
          />
        </div>
      ))}
      <Button size="small" icon={<PlusOutlined />} disabled={form.disabled} aria-label={text.addTo(name)} onClick={add}>
        {text.add}
      </Button>
    </div>
  );
}

/** More alternatives than this do not fit side by side. */
const SIDE_BY_SIDE = 3;

export function ChoiceControl(props: ControlProps) {
  const { name, seen, value, onChange } = props;
  const text = useConsoleText().form;
  const form = useForm();
  const at = branchOf(seen.branches, value ?? undefined, form.root);
  const branch = seen.branches[at];
  const options = seen.branches.map((one, index) => ({ value: index, label: branchName(one, form.root, text) }));
  const choose = (index: number) => {
    const next = seen.branches[index];
    if (next !== undefined) onChange(carried(value, next, form.root));
  };
  return (
    <div className={styles.choice}>
      {options.length <= SIDE_BY_SIDE ? (
        <Segmented<number>
          size="small"
          value={at}
          options={options}
          disabled={form.disabled}
          aria-label={text.kind(name)}
          onChange={choose}
        />
      ) : (
        <Select<number> value={at} options={options} disabled={form.disabled} aria-label={text.kind(name)} onChange={choose} />
      )}
      {branch !== undefined && <Control {...props} label={name} seen={see(branch, form.root)} usual={undefined} />}
    </div>
  );
}
