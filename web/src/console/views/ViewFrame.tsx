// What every view has: its name, what it is about, and its buttons.
import type { ReactNode } from "react";

import styles from "../console.module.css";

interface Props {
  title: string;
  about: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function ViewFrame({ title, about, actions, children }: Props) {
  return (
    <div className={`${styles.page ?? ""} ${styles.wide ?? ""}`}>
      <header className={styles.pageHead}>
        <div className={styles.titleRow}>
          <h1>{title}</h1>
          <span className={styles.grow} />
          {actions}
        </div>
        <p className={styles.about}>{about}</p>
      </header>
      {children}
    </div>
  );
}
