// Gives antd our tokens and language, and <html> its theme.
import { App as AntApp, ConfigProvider } from "antd";
import { type ReactNode, useLayoutEffect, useMemo } from "react";

import { useLanguage } from "../i18n";
import { useLessMotion } from "./motion";
import { useThemeName } from "./preference";
import "./theme.css";
import { antdTheme } from "./tokens";

export function ThemeProvider({ children }: { children: ReactNode }) {
  const name = useThemeName();
  const { antd } = useLanguage();
  const lessMotion = useLessMotion();
  const config = useMemo(() => antdTheme(name, !lessMotion), [name, lessMotion]);
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = name;
  }, [name]);
  return (
    <ConfigProvider theme={config} locale={antd} button={{ autoInsertSpace: false }}>
      <AntApp component={false}>{children}</AntApp>
    </ConfigProvider>
  );
}
