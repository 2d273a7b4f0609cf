import type { Commands, Scope, StoredCommand } from '../commands.ts';
import type { DiscordState } from '../discord-state.ts';
import { errorResponse } from '../errors.ts';
import { findLocalized, type Locale, type Localizations } from '../locales.ts';
import { noContent, ok, type Route, route } from '../route.ts';

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
function withLocalizedFields(command: StoredCommand, locale: Locale): object {
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

/** Registration of commands, globally and per guild. Discord: "Application Commands", endpoints. */
export function commandRoutes(state: DiscordState, commands: Commands): Route[] {
  const checkScope = (applicationId: string, guildId: Scope): Scope => {
    if (applicationId !== state.applicationId) throw errorResponse.unknownApplication();
    if (guildId !== null && guildId !== state.guildId) throw errorResponse.missingAccess();
    return guildId;
  };
  return [
    ...scopedRoutes('/applications/:applicationId/commands', commands, (ids) =>
      checkScope(ids['applicationId'] ?? '', null),
    ),
    ...scopedRoutes('/applications/:applicationId/guilds/:guildId/commands', commands, (ids) =>
      checkScope(ids['applicationId'] ?? '', ids['guildId'] ?? ''),
    ),
  ];
}

type ScopeOf = (ids: Readonly<Record<string, string>>) => Scope;

/** The endpoints of one scope; both scopes have the same ones. */
function scopedRoutes(base: string, commands: Commands, scopeOf: ScopeOf): Route[] {
  const one = `${base}/:commandId`;
  const commandId = (ids: Readonly<Record<string, string>>) => ids['commandId'] ?? '';
  return [
    route('GET', base, ({ ids, query, locale }) => {
      const all = commands.list(scopeOf(ids));
      const isComplete = query.get('with_localizations') === 'true';
      return ok(isComplete ? all : all.map((command) => withLocalizedFields(command, locale)));
    }),
    route('PUT', base, ({ ids, body }) => ok(commands.overwrite(scopeOf(ids), body))),
    route('POST', base, ({ ids, body }) => {
      const { command, created } = commands.upsert(scopeOf(ids), body);
      return { status: created ? 201 : 200, body: command };
    }),
    route('GET', one, ({ ids }) => ok(commands.get(scopeOf(ids), commandId(ids)))),
    route('PATCH', one, ({ ids, body }) => ok(commands.update(scopeOf(ids), commandId(ids), body))),
    route('DELETE', one, ({ ids }) => {
      commands.delete(scopeOf(ids), commandId(ids));
      return noContent;
    }),
  ];
}
