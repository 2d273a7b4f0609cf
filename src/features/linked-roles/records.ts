import { defaultLocale, type Locale, locales } from '../../texts/locale.ts';
import { textsIn } from '../../texts/texts.ts';

/** Discord: "Application Role Connection Metadata Type". */
const type = { atLeast: 2, datetimeAtLeast: 6, booleanEqual: 7 } as const;

/**
 * The conditions that Discord offers for a role. Discord allows five. Never change a key or a type: servers have
 * conditions with them. Credits are missing on purpose, because a purchase would take a role away.
 */
const kinds = {
  votes: type.atLeast,
  streak: type.atLeast,
  last_vote: type.datetimeAtLeast,
  premium: type.booleanEqual,
} as const;

type RecordKey = keyof typeof kinds;

/**
 * All conditions, in English with the translations that differ. Discord: "Application Role Connection Metadata
 * Structure".
 */
export function roleConnectionRecords() {
  return (Object.keys(kinds) as RecordKey[]).map((key) => {
    const name = translationsOf(key, 'name');
    const description = translationsOf(key, 'description');
    return {
      key,
      type: kinds[key],
      name: name.english,
      description: description.english,
      name_localizations: name.others,
      description_localizations: description.others,
    };
  });
}

function translationsOf(key: RecordKey, field: 'name' | 'description') {
  const read = (locale: Locale) => textsIn(locale).messages.linkedRoles.records[key][field];
  const english = read(defaultLocale);
  const others = locales.filter((locale) => read(locale) !== english).map((locale) => [locale, read(locale)] as const);
  return { english, others: Object.fromEntries(others) };
}
