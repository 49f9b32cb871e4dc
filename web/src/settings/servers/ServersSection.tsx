// Other MCP servers: which there are, how they are, and adding more.
import { ImportOutlined, PlusOutlined } from "@ant-design/icons";
import { Alert, Button, Empty } from "antd";
import { useState } from "react";

import { useAbout } from "../../api/queries";
import { useText } from "../../i18n";
import { Loading } from "../../shell/Loading";
import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import styles from "../settings.module.css";
import { AddServers } from "./AddServers";
import { ServerRow } from "./ServerRow";
import { useServerText } from "./texts";
import { useServers } from "./useServers";

export function ServersSection() {
  const text = useServerText();
  const title = useText().settings.servers;
  const owner = useAbout().data?.user.owner;
  const servers = useServers(owner === true);
  const [adding, setAdding] = useState<"one" | "import" | null>(null);
  if (owner === false) return <p className={styles.hint}>{text.ownerOnly}</p>;
  if (servers.isPending) return <Loading />;
  if (servers.isError) return <Problem error={servers.error} onRetry={() => void servers.refetch()} />;
  const { servers: all, problems } = servers.data;
  return (
    <>
      <p className={styles.hint}>{text.about}</p>
      {adding === null ? (
        <div className={styles.line}>
          <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setAdding("one")}>
            {text.add}
          </Button>
          <Button icon={<ImportOutlined aria-hidden />} onClick={() => setAdding("import")}>
            {text.import}
          </Button>
        </div>
      ) : (
        <AddServers key={adding} what={adding} onDone={() => setAdding(null)} />
      )}
      {problems.length > 0 && (
        <>
          <h2 className={styles.group}>{text.problems}</h2>
          {problems.map((problem) => (
            <Alert key={problem} type="warning" showIcon title={visible(problem)} />
          ))}
        </>
      )}
      <h2 className={styles.group}>{title}</h2>
      {all.length === 0 ? (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={text.none} />
      ) : (
        <ul className={styles.card}>
          {all.map((server) => (
            <ServerRow key={server.name} server={server} />
          ))}
        </ul>
      )}
    </>
  );
}
