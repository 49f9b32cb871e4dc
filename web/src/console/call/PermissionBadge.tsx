// How much say a person has in a call, as a word with a colour.
import { Tooltip } from "antd";

import type { Permission } from "../../api/types";
import { useConsoleText } from "../texts";
import styles from "./call.module.css";

export function PermissionBadge({ permission }: { permission: Permission }) {
  const text = useConsoleText().tools;
  return (
    <Tooltip title={text.permissionHints[permission]}>
      <span className={`${styles.badge ?? ""} ${styles[permission] ?? ""}`}>{text.permissions[permission]}</span>
    </Tooltip>
  );
}
