// Copies a text and says whether that worked.
import { CheckOutlined, CopyOutlined, WarningOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useEffect, useState } from "react";

import { useText } from "../i18n";
import { copyText } from "./copy";

interface Props {
  /** Made when it is asked for, where it is a function. */
  text: string | (() => string);
  label: string;
  /** The label stands on the button, too. */
  named?: boolean;
}

const ICONS = { idle: <CopyOutlined />, copied: <CheckOutlined />, failed: <WarningOutlined /> };

export function CopyButton({ text, label, named = false }: Props) {
  const words = useText().conversation;
  const [state, setState] = useState<keyof typeof ICONS>("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), state === "copied" ? 1500 : 5000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    void copyText(typeof text === "string" ? text : text()).then((done) => setState(done ? "copied" : "failed"));
  };
  const said = { idle: label, copied: words.copied, failed: words.copyFailed }[state];
  return (
    <Button type={named ? "default" : "text"} size="small" aria-label={said} title={said} icon={ICONS[state]} onClick={copy}>
      {named ? said : null}
    </Button>
  );
}
