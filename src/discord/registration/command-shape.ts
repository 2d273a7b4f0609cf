import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '@tallyhook/platform/json';
import { memoizeOne } from '@tallyhook/platform/memoize';
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
import { orElse } from '../rest.ts';

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

/** A text without the spaces at its ends, which Discord may remove. */
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

/** Each command is compared several times, and has texts in all languages. */
const comparableOf = memoizeOne((command: ListedCommand | ApplicationCommandBody) => comparable.parse(command));

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

/** True if Discord's command equals `body`. */
export function hasBody(listed: ListedCommand, body: ApplicationCommandBody): boolean {
  return isEqual(listed, comparableOf(body));
}

/** The fields that a registration sets, as JSON, to recognise the command later with {@link hasDefinition}. */
export function definitionOf(body: ApplicationCommandBody): string {
  return JSON.stringify(comparableOf(body));
}

/** True if Discord's command is still the one that was registered. */
export function hasDefinition(listed: ListedCommand, definition: string): boolean {
  const { data } = comparable.safeParse(parseJson(definition));
  return data !== undefined && isEqual(listed, data);
}

/**
 * True if a command is described in most of our languages. Another version may have registered it while this one was
 * not running; the command of another program is hardly ever translated into so many.
 */
export function isTranslatedAsOurs(listed: ListedCommand): boolean {
  const translations = wordsOf(listed);
  const translated = translatedLocales.filter((locale) => translations.has(locale));
  return translated.length > translatedLocales.length / 2;
}

/** True if a command has the words of `body` in most of our languages, as no command of another program has. */
export function isDescribedAs(listed: ListedCommand, body: ApplicationCommandBody): boolean {
  const actual = wordsOf(listed);
  const expected = wordsOf(body);
  const same = translatedLocales.filter((locale) => {
    return expected.has(locale) && expected.get(locale) === actual.get(locale);
  });
  return same.length > translatedLocales.length / 2;
}

/** The words that describe a command, by language: a command in a menu has nothing but its name. */
function wordsOf(command: ListedCommand | ApplicationCommandBody): ReadonlyMap<string, string> {
  const { type, name_localizations: names, description_localizations: descriptions } = comparableOf(command);
  return new Map(Object.entries(type === ApplicationCommandType.ChatInput ? descriptions : names));
}

function isEqual(listed: ListedCommand, expected: Definition): boolean {
  const actual = comparableOf(listed);
  // Discord lists these for a guild's commands too, but they cannot be set.
  const isGlobal = expected.contexts.length > 0;
  return isDeepStrictEqual(isGlobal ? actual : { ...actual, contexts: [], integration_types: [] }, expected);
}

/** A command in Discord's list. @category Commands */
export interface CommandReference extends NamedCommand {
  readonly id: string;
}

/** The changes that make Discord's list of one scope (a guild, or global) match the commands that are offered there. */
export interface CommandPlan {
  /** Recognised as ours by their description, as of a deploy script; stored before any change. */
  readonly adopt: readonly CommandReference[];
  readonly create: readonly ApplicationCommandBody[];
  readonly update: readonly (CommandReference & { readonly body: ApplicationCommandBody })[];
  readonly unchanged: readonly (CommandReference & { readonly body: ApplicationCommandBody })[];
  /** Ours, but no longer offered in this scope. */
  readonly delete: readonly CommandReference[];
  /** Stored ids that Discord no longer lists, or of which another program has made a command of its own. */
  readonly forget: readonly string[];
  /** Commands of {@link forget} that Discord lists. */
  readonly replaced: readonly CommandReference[];
  /** All commands of other programs that Discord lists. */
  readonly foreign: readonly CommandReference[];
  /** Commands of {@link foreign} with the name of an offered one, and {@link replaced} ones; they are not changed. */
  readonly conflicts: readonly CommandReference[];
}

/**
 * Plans one scope; `stored` are our commands in it. A name that another program uses is never created, because
 * Discord's "Create Command" overwrites a command of the same name. A stored id alone does not make a command ours: a
 * program that replaces the whole list ("Bulk Overwrite") puts its command of the same name in the place of ours, with
 * our id.
 */
export function planCommands(options: {
  readonly offered: readonly ApplicationCommandBody[];
  readonly listed: readonly ListedCommand[];
  readonly stored: readonly StoredCommand[];
}): CommandPlan {
  const { offered, listed, stored } = options;
  const bodies = new Map(offered.map((body) => [keyOf(body), body]));
  const bodyFor = (command: ListedCommand) => bodies.get(keyOf(command));
  const definitions = new Map(stored.map(({ id, definition }) => [id, definition]));

  const isAdoptable = (command: ListedCommand) =>
    !definitions.has(command.id) && isOfDeployScript(command, bodyFor(command));
  const isAsRegistered = (command: ListedCommand) => {
    const definition = definitions.get(command.id);
    if (definition === undefined) return false;
    if (definition === null || hasDefinition(command, definition)) return true;
    // Another process has registered it, and not stored the definition yet.
    const body = bodyFor(command);
    return (body !== undefined && hasBody(command, body)) || isTranslatedAsOurs(command);
  };
  const ours = listed.filter((command) => isAsRegistered(command) || isAdoptable(command));
  const foreign = listed.filter((command) => !ours.includes(command));

  const matches = ours.flatMap((command) => {
    const body = bodyFor(command);
    return body === undefined ? [] : [{ command, body }];
  });
  const replaced = foreign.filter(({ id }) => definitions.has(id));
  const used = new Set([...matches.map(({ command }) => command), ...foreign].map(keyOf));
  return {
    adopt: listed.filter(isAdoptable).map(referenceOf),
    create: offered.filter((body) => !used.has(keyOf(body))),
    update: matches
      .filter(({ command, body }) => !hasBody(command, body))
      .map(({ command, body }) => ({ ...referenceOf(command), body })),
    unchanged: matches
      .filter(({ command, body }) => hasBody(command, body))
      .map(({ command, body }) => ({ ...referenceOf(command), body })),
    delete: ours.filter((command) => bodyFor(command) === undefined).map(referenceOf),
    forget: stored.map(({ id }) => id).filter((id) => !ours.some((command) => command.id === id)),
    replaced: replaced.map(referenceOf),
    foreign: foreign.map(referenceOf),
    conflicts: foreign
      .filter((command) => bodyFor(command) !== undefined || replaced.includes(command))
      .map(referenceOf),
  };
}

function referenceOf({ id, name, type }: ListedCommand): CommandReference {
  return type === ApplicationCommandType.ChatInput ? { id, name } : { id, name, type };
}

/** True if a deploy script may have put the command there: it has our description or, in a menu, our translated names. */
function isOfDeployScript(command: ListedCommand, body: ApplicationCommandBody | undefined): boolean {
  if (body === undefined) return false;
  return 'description' in body ? body.description === command.description : isDescribedAs(command, body);
}

/** A command that this program has registered with Discord. @category Commands */
export interface RegisteredCommand {
  readonly id: string;
  readonly applicationId: string;
  /** Null for a global command. */
  readonly guildId: string | null;
  readonly name: string;
}

/** A command of the registry with what was registered. */
export interface StoredCommand extends RegisteredCommand {
  /** The command as `definitionOf` writes it; null if an earlier installation has registered the command. */
  readonly definition: string | null;
}

/**
 * Stores which of an application's commands are ours, because Discord does not record which program registered a
 * command. Only a command in this registry, and with the stored definition, is changed, deleted or answered.
 */
export interface CommandRegistry {
  /** The stored commands of an application, in every guild and globally. */
  list(applicationId: string): Promise<readonly StoredCommand[]>;
  /** True if a command id is stored. */
  has(id: string): Promise<boolean>;
  /** Inserts or replaces the row of this id. */
  save(command: StoredCommand): Promise<void>;
  remove(id: string): Promise<void>;
}
