// Gives antd our tokens and language, and <html> its theme.
import { App as AntApp, ConfigProvider } from "antd";
import { type ReactNode, useLayoutEffect, useMemo, useState } from "react";

import { useLanguage } from "../i18n";
import { motionWanted } from "./motion";
import { useThemeName } from "./preference";
import "./theme.css";
import { antdTheme } from "./tokens";

export function ThemeProvider({ children }: { children: ReactNode }) {
  const name = useThemeName();
  const { antd } = useLanguage();
  // As it was at the start: antd makes the whole page anew where this changes.
  const [motion] = useState(motionWanted);
  const config = useMemo(() => antdTheme(name, motion), [name, motion]);
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = name;
  }, [name]);
  return (
    <ConfigProvider theme={config} locale={antd} button={{ autoInsertSpace: false }}>
      <AntApp component={false}>{children}</AntApp>
    </ConfigProvider>
  );
}
