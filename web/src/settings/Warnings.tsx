// What the configuration says about itself, where it says anything.
import { Alert } from "antd";

import { visible } from "../text/visible";

export function Warnings({ title, warnings = [] }: { title: string; warnings?: readonly string[] | undefined }) {
  if (warnings.length === 0) return null;
  return (
    <Alert
      type="warning"
      showIcon
      title={title}
      description={warnings.map((warning) => (
        <p key={warning}>{visible(warning)}</p>
      ))}
    />
  );
}
