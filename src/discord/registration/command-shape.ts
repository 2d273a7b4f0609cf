import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '@tallyhook/platform/json';
import { defaultLocale, type Locale, locales } from '@tallyhook/platform/texts/locale';
import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type LocalizationMap,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { z } from 'zod';
import type {
  ApplicationCommandBody,
  CommandData,
  CommandDefinition,
  CommandOption,
  NamedCommand,
  RegistrationContext,
} from '../commands/command.ts';
import { orElse } from '../nullish.ts';

/** The slash command and, if it has one, its entry in the menu of a member, for one scope as of {@link bodyOf}. */
export function bodiesOf(
  command: CommandDefinition,
  context: RegistrationContext,
  guildId: string | null,
): readonly ApplicationCommandBody[] {
  const { menu } = command;
  const { languages } = context;
  const body = bodyOf(command, context, guildId);
  if (menu === undefined) return [body];
  const name = menu(languages.in(defaultLocale));
  const translations = translatedLocales.map((locale) => ({ locale, name: menu(languages.in(locale)) }));
  return [
    body,
    {
      type: ApplicationCommandType.User,
      name,
      name_localizations: localizationsOf(name, translations, (each) => each.name),
      ...accessOf(command, guildId),
    },
  ];
}

/**
 * The body of a slash command for one scope: a guild, or global if `guildId` is null. The name is the same in every language;
 * what describes it is in English with its translations. Discord: "Localization".
 */
export function bodyOf(
  command: CommandDefinition,
  context: RegistrationContext,
  guildId: string | null,
): SlashCommandBody {
  if (command.body !== undefined) return givenBody(command.body, guildId);
  const { languages } = context;
  const describeIn = (locale: Locale) => command.describe({ ...context, texts: languages.in(locale) });
  const { description, options } = describeIn(defaultLocale);
  const translations = translatedLocales.map((locale) => ({ locale, ...describeIn(locale) }));
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    description,
    description_localizations: localizationsOf(description, translations, (each) => each.description),
    options: options.map((option, index) => localizeOption(option, translations, (each) => each.options[index])),
    ...accessOf(command, guildId),
  };
}

/** Who sees it, and where. */
function accessOf(command: CommandDefinition, guildId: string | null) {
  const { defaultMemberPermissions: required } = command;
  return {
    default_member_permissions: required === undefined ? null : String(PermissionFlagsBits[required]),
    // Discord stores the places for global commands only.
    ...(guildId === null ? placesOf(command) : {}),
  };
}

type SlashCommandBody = CommandData & { readonly options: NonNullable<CommandData['options']> };

/** Discord stores the places for global commands only, and those of the server by default. */
function givenBody(
  { contexts, integration_types: types, ...body }: CommandData,
  guildId: string | null,
): SlashCommandBody {
  const installed = types ?? (contexts == null ? undefined : [ApplicationIntegrationType.GuildInstall]);
  const places = { ...(contexts != null && { contexts }), ...(installed && { integration_types: installed }) };
  return {
    type: ApplicationCommandType.ChatInput,
    ...body,
    options: body.options ?? [],
    ...(guildId === null && places),
  };
}

interface Translation {
  readonly locale: Locale;
  readonly description: string;
  readonly options: readonly CommandOption[];
}

/** With the descriptions and the names of choices in every language. */
function localizeOption(
  option: CommandOption,
  translations: readonly Translation[],
  optionIn: (translation: Translation) => CommandOption | undefined,
): CommandOption {
  const description_localizations = localizationsOf(
    option.description,
    translations,
    (each) => optionIn(each)?.description,
  );
  const localized = { required: false, ...option, description_localizations };
  if (!('choices' in option) || option.choices === undefined) return localized;
  const choiceName = (translation: Translation, index: number) => {
    const translated = optionIn(translation);
    return translated !== undefined && 'choices' in translated ? translated.choices?.[index]?.name : undefined;
  };
  const choices = option.choices.map((choice, index) => ({
    ...choice,
    name_localizations: localizationsOf(choice.name, translations, (each) => choiceName(each, index)),
  }));
  return { ...localized, choices } as CommandOption;
}

/** The translations that differ from the English text; null for none. */
function localizationsOf<Translated extends Pick<Translation, 'locale'>>(
  english: string,
  translations: readonly Translated[],
  read: (translation: Translated) => string | undefined,
): LocalizationMap | null {
  const entries = translations.flatMap((translation) => {
    const text = read(translation);
    return text === undefined || text === english ? [] : [[translation.locale, text]];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Discord: "Contexts". A user's installation has no effect before the application permits it. */
function placesOf({ availability }: CommandDefinition) {
  const { Guild, BotDM, PrivateChannel } = InteractionContextType;
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  return availability === 'everywhere'
    ? { contexts: [Guild, BotDM, PrivateChannel], integration_types: [GuildInstall, UserInstall] }
    : { contexts: [Guild], integration_types: [GuildInstall] };
}

const translatedLocales = locales.filter((locale) => locale !== defaultLocale);

const arrayOf = <Item extends z.ZodType>(item: Item) => orElse(z.array(item), []);
/** Discord does not promise to keep their order. */
const sortedNumbers = arrayOf(z.number()).transform((numbers) => numbers.toSorted((a, b) => a - b));
const nullableNumber = orElse(z.number(), null);

/** Discord lists null, an empty object or nothing for none. */
const localizations = orElse(z.record(z.string(), z.string().trim()), {});

/** Without the spaces at its ends, which Discord may remove. */
const text = z.string().trim();

const parameter = z.object({
  type: z.number(),
  name: z.string(),
  name_localizations: localizations,
  description: text,
  description_localizations: localizations,
  required: z.boolean().default(false),
  autocomplete: z.boolean().default(false),
  choices: arrayOf(z.object({ name: text, name_localizations: localizations, value: z.unknown() })),
  channel_types: sortedNumbers,
  min_value: nullableNumber,
  max_value: nullableNumber,
  min_length: nullableNumber,
  max_length: nullableNumber,
});
const subcommand = parameter.extend({ options: arrayOf(parameter) });
/** Or a group of subcommands. */
const option = parameter.extend({ options: arrayOf(subcommand) });

/** The fields that a registration sets. Discord adds ids, versions and defaults. */
const comparable = z.object({
  type: z.number().default(ApplicationCommandType.ChatInput),
  name: z.string(),
  name_localizations: localizations,
  // Of a command in a menu, none is set, and Discord lists an empty one.
  description: text.default(''),
  description_localizations: localizations,
  contexts: sortedNumbers,
  integration_types: sortedNumbers,
  default_member_permissions: orElse(z.string(), null),
  nsfw: z.boolean().default(false),
  options: arrayOf(option),
});

/** A command in Discord's list. */
export const listedCommand = z.looseObject({
  id: z.string(),
  type: z.number().default(ApplicationCommandType.ChatInput),
  name: z.string(),
  description: z.string().default(''),
});
export type ListedCommand = z.output<typeof listedCommand>;

type Definition = z.output<typeof comparable>;

/** Identifies a command within a scope: commands of different types may have the same name. */
export function keyOf({ type = ApplicationCommandType.ChatInput, name }: NamedCommand): string {
  return `${type} ${name}`;
}

/** Whether Discord's command equals `body`. */
export function hasBody(listed: ListedCommand, body: ApplicationCommandBody): boolean {
  return isEqual(listed, comparable.parse(body));
}

/** What a registration sets, as JSON, to recognise the command later with {@link hasDefinition}. */
export function definitionOf(body: ApplicationCommandBody): string {
  return JSON.stringify(comparable.parse(body));
}

/** Whether Discord's command is still the one that was registered. */
export function hasDefinition(listed: ListedCommand, definition: string): boolean {
  const { data } = comparable.safeParse(parseJson(definition));
  return data !== undefined && isEqual(listed, data);
}

/**
 * Whether a command is described in most of our languages. Another version may have registered it while this one was
 * not running; the command of another program is hardly ever translated into so many.
 */
export function isTranslatedAsOurs(listed: ListedCommand): boolean {
  const translations = wordsOf(listed);
  const translated = translatedLocales.filter((locale) => translations.has(locale));
  return translated.length > translatedLocales.length / 2;
}

/** Whether a command has the words of `body` in most of our languages, as no command of another program has. */
export function isDescribedAs(listed: ListedCommand, body: ApplicationCommandBody): boolean {
  const actual = wordsOf(listed);
  const expected = wordsOf(body);
  const same = translatedLocales.filter((locale) => {
    return expected.has(locale) && expected.get(locale) === actual.get(locale);
  });
  return same.length > translatedLocales.length / 2;
}

/** What describes a command, by language: a command in a menu has nothing but its name. */
function wordsOf(command: ListedCommand | ApplicationCommandBody): ReadonlyMap<string, string> {
  const { type, name_localizations: names, description_localizations: descriptions } = comparable.parse(command);
  return new Map(Object.entries(type === ApplicationCommandType.ChatInput ? descriptions : names));
}

function isEqual(listed: ListedCommand, expected: Definition): boolean {
  const actual = comparable.parse(listed);
  // Discord lists these for a guild's commands too, but they cannot be set.
  const isGlobal = expected.contexts.length > 0;
  return isDeepStrictEqual(isGlobal ? actual : { ...actual, contexts: [], integration_types: [] }, expected);
}
