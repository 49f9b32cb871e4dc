// The HTTP API, browsable: made from the document that the server writes about itself.
import { SearchOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Input } from "antd";
import { useMemo, useState } from "react";

import { api } from "../api/client";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import styles from "./console.module.css";
import docStyles from "./docs/docs.module.css";
import { type Document, findOperations, readDocument } from "./docs/openapi";
import { OperationView } from "./docs/OperationView";
import { Prose } from "./Prose";
import { useConsoleText } from "./texts";

const ADDRESS = "/api/openapi.json";

export function ApiDocsPage() {
  const text = useConsoleText().docs;
  const raw = useQuery({
    queryKey: ["openapi"],
    queryFn: ({ signal }) => api.get<unknown>(ADDRESS, { signal }),
    staleTime: Infinity,
  });
  const document = useMemo(() => (raw.data === undefined ? null : readDocument(raw.data, text.other)), [raw.data, text]);
  if (raw.isError) {
    return (
      <div className={styles.page}>
        <h1>{text.title}</h1>
        <Problem error={raw.error} onRetry={() => void raw.refetch()} />
      </div>
    );
  }
  return document === null ? <Loading /> : <Docs document={document} />;
}

function Docs({ document }: { document: Document }) {
  const text = useConsoleText().docs;
  const [query, setQuery] = useState("");
  const tags = findOperations(document.tags, query);
  return (
    <div className={docStyles.layout}>
      <nav className={docStyles.contents} aria-label={text.contents}>
        {tags.map((tag) => (
          <section key={tag.name}>
            <h2>{tag.name}</h2>
            <ul>
              {tag.operations.map((one) => (
                <li key={one.id}>
                  <button type="button" onClick={() => show(one.id)}>
                    <span className={`${docStyles.method ?? ""} ${docStyles[one.method.toLowerCase()] ?? ""}`}>{one.method}</span>
                    <span>{one.summary || one.path}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className={styles.body}>
        <div className={styles.page}>
          <header className={styles.pageHead}>
            <div className={styles.titleRow}>
              <h1>{text.title}</h1>
              <span className={styles.faint}>
                {document.title} {document.version}
              </span>
            </div>
            <p className={styles.about}>{text.about}</p>
            <p className={styles.about}>
              <Prose>{text.auth}</Prose>
            </p>
            <div className={styles.row}>
              <Input
                allowClear
                className={styles.grow ?? ""}
                prefix={<SearchOutlined aria-hidden />}
                value={query}
                placeholder={text.search}
                aria-label={text.search}
                onChange={(event) => setQuery(event.target.value)}
              />
              <a className={styles.back} href={ADDRESS} target="_blank" rel="noreferrer">
                {text.document}
              </a>
            </div>
          </header>
          {tags.length === 0 && <p className={styles.about}>{text.none}</p>}
          {tags.map((tag) => (
            <section key={tag.name} className={docStyles.tag}>
              <h2>{tag.name}</h2>
              {tag.description !== "" && <p>{tag.description}</p>}
              {tag.operations.map((one) => (
                <OperationView key={one.id} operation={one} root={document.root} />
              ))}
            </section>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Opens an operation and goes there. */
function show(id: string): void {
  const element = document.getElementById(`operation-${id}`);
  if (!(element instanceof HTMLDetailsElement)) return;
  element.open = true;
  element.scrollIntoView({ block: "start" });
  element.querySelector("summary")?.focus();
}
