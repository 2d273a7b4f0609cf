import type { StoredCommand } from './commands.ts';
import { findLocalized, type Locale, type Localizations } from './locales.ts';

interface Localizable {
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly description_localizations?: Localizations;
  readonly options?: readonly Localizable[] | null | undefined;
  readonly choices?: readonly Localizable[] | null | undefined;
}

/**
 * A command as a list of commands contains it: instead of the dictionaries only `name_localized` and
 * `description_localized` for the requester's locale, if they have it. Discord: "Retrieving localized commands".
 */
export function withLocalizedFields(command: StoredCommand, locale: Locale): object {
  return localizedPart(command, locale);
}

function localizedPart(part: Localizable, locale: Locale): object {
  const { name_localizations: names, description_localizations: descriptions, options, choices, ...rest } = part;
  const name = findLocalized(names, locale);
  const description = findLocalized(descriptions, locale);
  return {
    ...rest,
    ...(name === undefined ? {} : { name_localized: name }),
    ...(description === undefined ? {} : { description_localized: description }),
    ...(options ? { options: options.map((each) => localizedPart(each, locale)) } : {}),
    ...(choices ? { choices: choices.map((each) => localizedPart(each, locale)) } : {}),
  };
}
