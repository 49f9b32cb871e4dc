// Lines by their content, with the lines around them.
import { Button, Checkbox, Input, InputNumber } from "antd";
import { useState } from "react";

import type { Json } from "../../api/types";
import { openPreview } from "../../files/preview";
import { visible } from "../../text/visible";
import callStyles from "../call/call.module.css";
import { toolCall, useCall } from "../call/useCall";
import styles from "../console.module.css";
import { useConsoleText } from "../texts";
import { matcherOf, pieces, type Searched } from "./highlight";
import { SearchProgress } from "./SearchProgress";
import viewStyles from "./views.module.css";

interface Line {
  line: number;
  text: string;
  context?: boolean;
}

interface FileHits {
  path: string;
  count?: number;
  lines?: Line[];
  binary?: boolean;
}

interface Found {
  files: FileHits[];
  matches: number;
  more: boolean;
  skipped_sensitive: number;
}

interface Wanted extends Searched {
  path: string;
  glob: string;
  context: number;
  hidden: boolean;
}

const FIRST: Wanted = { pattern: "", regex: false, ignoreCase: true, path: "", glob: "", context: 1, hidden: false };

function parametersOf(wanted: Wanted): Json {
  return {
    pattern: wanted.pattern,
    regex: wanted.regex,
    ignore_case: wanted.ignoreCase,
    context: wanted.context,
    include_hidden: wanted.hidden,
    ...(wanted.path === "" ? {} : { path: wanted.path }),
    ...(wanted.glob === "" ? {} : { glob: wanted.glob }),
  };
}

export function ContentSearch() {
  const text = useConsoleText().views.search;
  const [wanted, setWanted] = useState(FIRST);
  const [asked, setAsked] = useState(FIRST);
  const call = useCall();
  const change = (more: Partial<Wanted>) => setWanted({ ...wanted, ...more });
  const { state } = call;
  const found = state.step === "ended" && state.response.success ? (state.response.outcome?.data as unknown as Found) : null;
  return (
    <div className={viewStyles.hits}>
      <form
        className={styles.row}
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted.pattern === "") return;
          setAsked(wanted);
          call.start(toolCall("grep", parametersOf(wanted)));
        }}
      >
        <Input
          className={styles.grow ?? ""}
          value={wanted.pattern}
          placeholder={text.pattern}
          aria-label={text.pattern}
          onChange={(event) => change({ pattern: event.target.value })}
        />
        <Input
          style={{ width: 170 }}
          value={wanted.path}
          placeholder={text.path}
          aria-label={text.path}
          onChange={(event) => change({ path: event.target.value })}
        />
        <Input
          style={{ width: 190 }}
          value={wanted.glob}
          placeholder={text.files}
          aria-label={text.files}
          onChange={(event) => change({ glob: event.target.value })}
        />
        <Button type="primary" htmlType="submit" disabled={wanted.pattern === ""}>
          {text.go}
        </Button>
        <div className={styles.row} style={{ width: "100%" }}>
          <Checkbox checked={wanted.regex} onChange={(event) => change({ regex: event.target.checked })}>
            {text.regex}
          </Checkbox>
          <Checkbox checked={wanted.ignoreCase} onChange={(event) => change({ ignoreCase: event.target.checked })}>
            {text.ignoreCase}
          </Checkbox>
          <Checkbox checked={wanted.hidden} onChange={(event) => change({ hidden: event.target.checked })}>
            {text.hidden}
          </Checkbox>
          <label className={callStyles.buttons}>
            {text.context}
            <InputNumber
              size="small"
              min={0}
              max={20}
              style={{ width: 64 }}
              value={wanted.context}
              onChange={(context) => change({ context: context ?? 0 })}
            />
          </label>
        </div>
      </form>
      <SearchProgress call={call} />
      {found !== null && <Hits found={found} searched={asked} />}
    </div>
  );
}

function Hits({ found, searched }: { found: Found; searched: Searched }) {
  const text = useConsoleText().views.search;
  const matcher = matcherOf(searched);
  return (
    <>
      <p className={callStyles.quiet} role="status">
        {found.files.length === 0 ? text.nothing : text.found(found.matches, found.files.length)}
        {found.more && ` · ${text.more}`}
        {found.skipped_sensitive > 0 && ` · ${text.skipped(found.skipped_sensitive)}`}
      </p>
      {found.files.map((file) => (
        <FileBlock key={file.path} file={file} matcher={matcher} />
      ))}
    </>
  );
}

function FileBlock({ file, matcher }: { file: FileHits; matcher: RegExp | null }) {
  const text = useConsoleText().views.search;
  const lines = file.lines ?? [];
  return (
    <section className={viewStyles.file} aria-label={file.path}>
      <button
        type="button"
        className={viewStyles.fileHead}
        title={text.open(file.path)}
        onClick={() => openPreview({ path: file.path, name: file.path })}
      >
        {visible(file.path)}
        {file.count !== undefined && <small>{file.count}</small>}
      </button>
      {file.binary && <p className={callStyles.quiet}>{text.binary}</p>}
      {lines.length > 0 && (
        <ol className={viewStyles.lines} tabIndex={0} aria-label={file.path}>
          {lines.map((line, index) => {
            const before = lines[index - 1];
            const gap = before !== undefined && line.line > before.line + 1;
            const names = [line.context && viewStyles.context, gap && viewStyles.gap].filter(Boolean).join(" ");
            return (
              <li key={line.line} className={names || undefined}>
                <span>{line.line}</span>
                <span>
                  {line.context
                    ? line.text
                    : pieces(line.text, matcher).map((piece, place) =>
                        piece.hit ? <mark key={place}>{piece.text}</mark> : piece.text,
                      )}
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}
