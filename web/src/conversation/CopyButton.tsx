// Copies a text and says so.
import { CheckOutlined, CopyOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useEffect, useState } from "react";

import { useText } from "../i18n";
import { copyText } from "./copy";

export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const words = useText().conversation;
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    void copyText(typeof text === "string" ? text : text()).then(setCopied);
  };
  return (
    <Button
      type="text"
      size="small"
      aria-label={copied ? words.copied : label}
      title={copied ? words.copied : label}
      icon={copied ? <CheckOutlined /> : <CopyOutlined />}
      onClick={copy}
    />
  );
}
