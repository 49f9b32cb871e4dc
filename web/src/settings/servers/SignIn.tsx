// Signing in to a server: the address opens in the browser, and how far it is stands here.
import { Button } from "antd";

import type { McpServer } from "../../api/types";
import { Problem } from "../../shell/Problem";
import { visible } from "../../text/visible";
import shared from "../settings.module.css";
import { useServerText } from "./texts";
import { useServerActions } from "./useServers";

export function SignIn({ server }: { server: McpServer }) {
  const text = useServerText();
  const { signIn, signOut } = useServerActions();
  const { sign_in: state, status, signed_in: signedIn } = server;
  const wanted = status === "wants_sign_in";
  const begin = () =>
    signIn.mutate(server.name, {
      onSuccess: ({ address }) => {
        window.open(address, "_blank", "noopener");
      },
    });
  return (
    <div role="status">
      {wanted && state?.state !== "waiting" && (
        <div className={shared.line}>
          <span className={shared.sub}>{text.signInNeeded}</span>
          <Button size="small" type="primary" loading={signIn.isPending} onClick={begin}>
            {text.signIn}
          </Button>
        </div>
      )}
      {wanted && state?.state === "waiting" && (
        <div className={shared.line}>
          <span className={shared.sub}>{text.signInWaiting}</span>
          <a href={state.address} target="_blank" rel="noreferrer">
            {text.signInOpen}
          </a>
        </div>
      )}
      {wanted && state?.state === "failed" && <p className={shared.bad}>{visible(state.why)}</p>}
      {!wanted && signedIn && (
        <div className={shared.line}>
          <span className={shared.sub}>{text.signInDone}</span>
          <Button size="small" type="text" loading={signOut.isPending} onClick={() => signOut.mutate(server.name)}>
            {text.signOut}
          </Button>
        </div>
      )}
      {signIn.isError && <Problem error={signIn.error} />}
      {signOut.isError && <Problem error={signOut.error} />}
    </div>
  );
}
