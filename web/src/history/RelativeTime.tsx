// A moment as «2 hours ago», with the whole of it on hover.
import { useLanguage } from "../i18n";
import { locale } from "../i18n/locale";
import { fullTime, relativeTime, useNow } from "./time";

export function RelativeTime({ at, className }: { at: string; className?: string | undefined }) {
  const { language } = useLanguage();
  const now = useNow();
  const tag = locale(language);
  return (
    <time dateTime={at} title={fullTime(at, tag)} className={className}>
      {relativeTime(at, now, tag)}
    </time>
  );
}
