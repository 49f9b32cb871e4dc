// A moment as «2 hours ago», with the whole of it on hover.
import { LANGUAGES, useLanguage } from "../i18n";
import { fullTime, relativeTime, useNow } from "./time";

export function RelativeTime({ at, className }: { at: string; className?: string | undefined }) {
  const { language } = useLanguage();
  const now = useNow();
  const locale = LANGUAGES.find(({ id }) => id === language)?.tag ?? "en";
  return (
    <time dateTime={at} title={fullTime(at, locale)} className={className}>
      {relativeTime(at, now, locale)}
    </time>
  );
}
