// The bar on top: where we are, what waits for an answer, tools, language, appearance.
import {
  GlobalOutlined,
  MenuFoldOutlined,
  MenuUnfoldOutlined,
  MoonOutlined,
  SunOutlined,
  ToolOutlined,
} from "@ant-design/icons";
import { Button, Dropdown, Tooltip } from "antd";

import { LANGUAGES, useLanguage } from "../i18n";
import { href, type Route } from "../router";
import { setThemePreference, type ThemePreference, useThemeName, useThemePreference } from "../theme/preference";
import { ApprovalsBell } from "./ApprovalsBell";
import { PageTitle } from "./PageTitle";
import styles from "./shell.module.css";

interface Props {
  route: Route;
  sidebarOpen: boolean;
  onToggleSidebar: () => void;
}

export function Header({ route, sidebarOpen, onToggleSidebar }: Props) {
  const { texts, language, setLanguage } = useLanguage();
  const text = texts.shell;
  const dark = useThemeName() === "dark";
  const preference = useThemePreference();
  const toggleLabel = sidebarOpen ? text.closeSidebar : text.openSidebar;
  return (
    <header className={styles.header}>
      <Tooltip title={toggleLabel}>
        <Button
          type="text"
          aria-label={toggleLabel}
          aria-expanded={sidebarOpen}
          icon={sidebarOpen ? <MenuFoldOutlined aria-hidden /> : <MenuUnfoldOutlined aria-hidden />}
          onClick={onToggleSidebar}
        />
      </Tooltip>
      <PageTitle route={route} />
      <div className={styles.headerEnd}>
        <ApprovalsBell />
        <Tooltip title={text.tools}>
          <Button type="text" aria-label={text.tools} icon={<ToolOutlined aria-hidden />} href={href({ name: "tools" })} />
        </Tooltip>
        <Dropdown
          trigger={["click"]}
          menu={{
            selectable: true,
            selectedKeys: [language],
            items: LANGUAGES.map(({ id, name, tag }) => ({ key: id, label: <span lang={tag}>{name}</span> })),
            onClick: ({ key }) => setLanguage(key === "zh" ? "zh" : "en"),
          }}
        >
          <Button type="text" aria-label={text.language} aria-haspopup="menu" icon={<GlobalOutlined aria-hidden />} />
        </Dropdown>
        <Dropdown
          trigger={["click"]}
          menu={{
            selectable: true,
            selectedKeys: [preference],
            items: (["light", "dark", "system"] as const).map((key) => ({ key, label: text.themes[key] })),
            onClick: ({ key }) => setThemePreference(key as ThemePreference),
          }}
        >
          <Button
            type="text"
            aria-label={text.theme}
            aria-haspopup="menu"
            icon={dark ? <MoonOutlined aria-hidden /> : <SunOutlined aria-hidden />}
          />
        </Dropdown>
      </div>
    </header>
  );
}
