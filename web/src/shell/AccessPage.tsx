// What a visitor without a valid token sees: how to get in.
import { Button, Input } from "antd";
import { useState } from "react";

import { useText } from "../i18n";
import { tokenIn } from "../token";
import styles from "./shell.module.css";

export function AccessPage() {
  const { access, product } = useText().shell;
  const [pasted, setPasted] = useState("");
  const token = tokenIn(pasted);
  const open = () => {
    if (token !== "") window.location.assign(`/?token=${encodeURIComponent(token)}`);
  };
  return (
    <main className={styles.access}>
      <form
        className={styles.accessCard}
        onSubmit={(event) => {
          event.preventDefault();
          open();
        }}
      >
        <img src="/icon.svg" alt={product} width={40} height={40} />
        <h1>{access.title}</h1>
        <p>{access.intro}</p>
        <p>{access.run}</p>
        <pre>deskhand serve</pre>
        <label htmlFor="token">{access.paste}</label>
        <div className={styles.accessRow}>
          <Input.Password
            id="token"
            value={pasted}
            autoComplete="off"
            placeholder={access.token}
            onChange={(event) => setPasted(event.target.value)}
          />
          <Button type="primary" htmlType="submit" disabled={token === ""}>
            {access.open}
          </Button>
        </div>
      </form>
    </main>
  );
}
