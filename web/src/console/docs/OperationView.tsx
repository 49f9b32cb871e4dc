// One operation: parameters, body, answers, and a way to try it.
import { Tag } from "antd";
import { useState } from "react";

import { schemaName } from "../schema/words";
import { Prose } from "../Prose";
import { useConsoleText } from "../texts";
import { type Column, Table } from "../data/Table";
import styles from "./docs.module.css";
import type { Content, Operation, Parameter } from "./openapi";
import { SchemaView } from "./SchemaView";
import { TryIt } from "./TryIt";

interface Props {
  operation: Operation;
  root: unknown;
}

export function OperationView({ operation, root }: Props) {
  const text = useConsoleText().docs;
  // What is closed is not drawn: a document can have a hundred operations.
  const [open, setOpen] = useState(false);
  const { method, path, summary, deprecated } = operation;
  return (
    <details id={`operation-${operation.id}`} className={styles.operation} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={`${styles.method ?? ""} ${styles[method.toLowerCase()] ?? ""}`}>{method}</span>
        <span className={styles.path}>{path}</span>
        <span className={styles.purpose}>{summary}</span>
        {deprecated && <Tag>{text.deprecated}</Tag>}
      </summary>
      {open && <Inside operation={operation} root={root} />}
    </details>
  );
}

function Inside({ operation, root }: Props) {
  const texts = useConsoleText();
  const text = texts.docs;
  const columns: Column<Parameter>[] = [
    { key: "name", title: text.name, show: (one) => <code>{one.name}</code>, tight: true },
    { key: "in", title: text.where, show: (one) => one.in, tight: true },
    {
      key: "type",
      title: text.type,
      show: (one) => (
        <>
          {schemaName(one.schema, root, texts.form)}
          {one.required && <span className={styles.required}> {text.required}</span>}
        </>
      ),
    },
    { key: "about", title: text.meaning, show: (one) => <Prose>{one.description}</Prose> },
  ];
  return (
    <div className={styles.inside}>
      {operation.description !== "" && (
        <div>
          <Prose>{operation.description}</Prose>
        </div>
      )}
      {operation.parameters.length > 0 && (
        <div>
          <h3>{text.parameters}</h3>
          <Table
            label={text.parameters}
            columns={columns}
            rows={operation.parameters}
            rowKey={(one) => `${one.in} ${one.name}`}
          />
        </div>
      )}
      {operation.body.length > 0 && (
        <div>
          <h3>{text.body}</h3>
          <Contents contents={operation.body} root={root} />
        </div>
      )}
      <div>
        <h3>{text.responses}</h3>
        {operation.answers.map((answer) => (
          <div key={answer.status} className={styles.response}>
            <code>{answer.status}</code> {answer.description}
            <Contents contents={answer.content} root={root} />
          </div>
        ))}
      </div>
      <TryIt operation={operation} root={root} />
    </div>
  );
}

function Contents({ contents, root }: { contents: Content[]; root: unknown }) {
  return contents.map((content) => (
    <div key={content.type}>
      <span className={styles.schemaType}>{content.type}</span>
      <SchemaView schema={content.schema} root={root} />
    </div>
  ));
}
