// The files in the sidebar: the workspace, and what the open conversation was given and has made.
import { EyeInvisibleOutlined, EyeOutlined, FileOutlined, PaperClipOutlined, ReloadOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Button, Tooltip } from "antd";
import { type ReactNode, useId, useState } from "react";

import { useAbout, useSession, useUploads } from "../api/queries";
import type { PathText } from "../api/types";
import { useText } from "../i18n";
import { Loading } from "../shell/Loading";
import { Problem } from "../shell/Problem";
import { visible } from "../text/visible";
import { FileRow } from "./FileRow";
import styles from "./files.module.css";
import { FolderTree, lastPart } from "./FolderTree";
import { useOutputs } from "./queries";

export function FilesPane({ sessionId }: { sessionId: string | undefined }) {
  const text = useText().files;
  return (
    <div className={styles.files}>
      <Workspace sessionId={sessionId} />
      {sessionId === undefined ? (
        <p className={styles.none}>{text.noSession}</p>
      ) : (
        <>
          <Uploads sessionId={sessionId} />
          <Outputs sessionId={sessionId} />
        </>
      )}
    </div>
  );
}

function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

function Workspace({ sessionId }: { sessionId: string | undefined }) {
  const text = useText().files;
  const client = useQueryClient();
  const [hidden, setHidden] = useState(false);
  const about = useAbout();
  const session = useSession(sessionId);
  const own = session.data?.metadata.workspace;
  const roots = own === undefined ? (about.data?.workspaces ?? []) : [shown(own)];
  const actions = (
    <>
      <Tooltip title={text.hidden}>
        <Button
          type="text"
          size="small"
          aria-label={text.hidden}
          aria-pressed={hidden}
          icon={hidden ? <EyeOutlined aria-hidden /> : <EyeInvisibleOutlined aria-hidden />}
          onClick={() => setHidden(!hidden)}
        />
      </Tooltip>
      <Tooltip title={text.refresh}>
        <Button
          type="text"
          size="small"
          aria-label={text.refresh}
          icon={<ReloadOutlined aria-hidden />}
          onClick={() => void client.invalidateQueries({ queryKey: ["folder"] })}
        />
      </Tooltip>
    </>
  );
  if (about.isError) return <Problem error={about.error} onRetry={() => void about.refetch()} />;
  if (about.isPending || (sessionId !== undefined && session.isPending)) return <Loading />;
  return (
    <Section title={text.workspace} actions={actions}>
      {roots.length === 0 && <p className={styles.none}>{text.noWorkspace}</p>}
      {roots.map((root) => (
        <div key={root}>
          <p className={styles.root} title={visible(root)}>
            <bdi>{visible(root)}</bdi>
          </p>
          <FolderTree path={own === undefined ? root : "."} sessionId={sessionId} hidden={hidden} />
        </div>
      ))}
    </Section>
  );
}

function Uploads({ sessionId }: { sessionId: string }) {
  const text = useText().files;
  const uploads = useUploads(sessionId);
  return (
    <Section title={text.uploads}>
      {uploads.isError && <Problem error={uploads.error} onRetry={() => void uploads.refetch()} />}
      {uploads.data?.length === 0 && <p className={styles.none}>{text.noUploads}</p>}
      <ul className={styles.list}>
        {uploads.data?.map((upload) => (
          <li key={upload.id}>
            <FileRow
              icon={<PaperClipOutlined aria-hidden />}
              target={{ path: shown(upload.path), name: upload.name, sessionId, uploadId: upload.id }}
              size={upload.size}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Outputs({ sessionId }: { sessionId: string }) {
  const text = useText().files;
  const outputs = useOutputs(sessionId);
  return (
    <Section title={text.outputs}>
      {outputs.isError && <Problem error={outputs.error} onRetry={() => void outputs.refetch()} />}
      {outputs.data?.length === 0 && <p className={styles.none}>{text.noOutputs}</p>}
      <ul className={styles.list}>
        {outputs.data?.map(({ path, tool, kept }) => (
          <li key={path}>
            <FileRow
              icon={<FileOutlined aria-hidden />}
              target={{ path, name: kept ? text.keptOutput(tool) : lastPart(path), sessionId }}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function shown(path: PathText): string {
  return typeof path === "string" ? path : path.bytes;
}
