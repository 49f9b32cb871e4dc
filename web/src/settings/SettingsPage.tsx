// Settings, by section.
import { useText } from "../i18n";
import { href } from "../router";
import { AllSettings } from "./AllSettings";
import { GeneralSection } from "./GeneralSection";
import { ModelsSection } from "./models/ModelsSection";
import { ServersSection } from "./servers/ServersSection";
import styles from "./settings.module.css";

const SECTIONS = ["general", "models", "servers", "all"] as const;
type Section = (typeof SECTIONS)[number];

export function SettingsPage({ section }: { section?: string }) {
  const text = useText().settings;
  const shown: Section = SECTIONS.find((each) => each === section) ?? "general";
  return (
    <div className={styles.page}>
      <h1>{text.title}</h1>
      <nav className={styles.sections} aria-label={text.sections}>
        {SECTIONS.map((each) => (
          <a
            key={each}
            href={href(each === "general" ? { name: "settings" } : { name: "settings", section: each })}
            aria-current={each === shown ? "page" : undefined}
          >
            {text[each]}
          </a>
        ))}
      </nav>
      {shown === "general" && <GeneralSection />}
      {shown === "models" && <ModelsSection />}
      {shown === "servers" && <ServersSection />}
      {shown === "all" && <AllSettings />}
    </div>
  );
}
