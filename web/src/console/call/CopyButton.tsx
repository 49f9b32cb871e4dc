// Copies a text, and says whether that worked.
import { CopyOutlined } from "@ant-design/icons";
import { App, Button } from "antd";

import { useConsoleText } from "../texts";

interface Props {
  label: string;
  /** Made when it is asked for. */
  content: () => string;
}

export function CopyButton({ label, content }: Props) {
  const text = useConsoleText().call;
  const { message } = App.useApp();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(content());
      message.success(text.copied);
    } catch {
      message.warning(text.copyFailed);
    }
  };
  return (
    <Button size="small" icon={<CopyOutlined />} onClick={() => void copy()}>
      {label}
    </Button>
  );
}
