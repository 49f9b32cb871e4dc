// How a server is reached: the program to the letter, or the host.
import { visible } from "../../text/visible";
import type { ServerLink } from "../../api/types";
import styles from "./servers.module.css";
import { useServerText } from "./texts";

/** A word as it can be told apart from its neighbours. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

export function commandLine({ command, args }: { command: string; args: string[] }): string {
  return visible([command, ...args].map(quoted).join(" "));
}

export function LinkView({ link }: { link: ServerLink }) {
  const text = useServerText();
  if (link.kind === "http") {
    return (
      <>
        <code className={styles.runs}>{visible(link.host)}</code>
        {link.headers.length > 0 && (
          <p>
            {text.sentHeaders}: {visible(link.headers.join(", "))}
          </p>
        )}
        {link.variables.length > 0 && (
          <p>
            {text.sentVariables}: {visible(link.variables.join(", "))}
          </p>
        )}
      </>
    );
  }
  const env = Object.entries(link.env);
  return (
    <>
      <code className={styles.runs}>{commandLine(link)}</code>
      {link.cwd !== null && <p>{text.runsIn(visible(link.cwd))}</p>}
      {env.length > 0 && (
        <p>
          {text.variables}:{" "}
          {env.map(([name, value]) => (
            <code key={name} className={styles.variable}>
              {visible(value === null ? name : `${name}=${value}`)}
            </code>
          ))}
        </p>
      )}
    </>
  );
}
