import { z } from 'zod';
import type { FieldIssue } from './errors.ts';
import { commandType } from './flags.ts';
import { isLocale, type Localizations, locales } from './locales.ts';
import { addIssue } from './validate.ts';

/** The schema of a command. Discord: "Application Command Object". */

export const optionType = {
  subcommand: 1,
  subcommandGroup: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;

const name = z
  .string()
  .min(1)
  .max(32)
  .superRefine((value, context) => {
    if (!/^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u.test(value) || value !== value.toLowerCase()) {
      addIssue(context, [], 'APPLICATION_COMMAND_INVALID_NAME');
    }
  });

const text = z.string().min(1).max(100);

/** Translations by locale, with the same restrictions as the text itself. */
const localizationsOf = (part: z.ZodType<string, string>) =>
  z
    .record(z.string(), part.nullish())
    .superRefine((dictionary, context) => {
      for (const locale of Object.keys(dictionary)) {
        if (!isLocale(locale))
          addIssue(context, [locale], 'BASE_TYPE_CHOICES', `Value must be one of {${locales.join(', ')}}.`);
      }
    })
    .nullish();

/** The fields of commands and of all options. */
const described = {
  name,
  description: text,
  name_localizations: localizationsOf(name),
  description_localizations: localizationsOf(text),
};

export const choice = z.object({
  name: text,
  name_localizations: localizationsOf(text),
  value: z.union([z.string().max(100), z.number()]),
});

/** An option with a value. */
const valueOption = z
  .object({
    type: z.literal([3, 4, 5, 6, 7, 8, 9, 10, 11]),
    ...described,
    required: z.boolean().nullish(),
    choices: z.array(choice).max(25).nullish(),
    channel_types: z.array(z.int()).nullish(),
    min_value: z.number().nullish(),
    max_value: z.number().nullish(),
    min_length: z.int().min(0).max(6000).nullish(),
    max_length: z.int().min(1).max(6000).nullish(),
    autocomplete: z.boolean().nullish(),
  })
  .superRefine((option, context) => {
    const isNumeric = option.type === optionType.integer || option.type === optionType.number;
    const choices = option.choices ?? [];
    if (choices.length > 0 && !isNumeric && option.type !== optionType.string)
      addIssue(context, ['choices'], 'APPLICATION_COMMAND_OPTION_CHOICES_NOT_ALLOWED');
    if (choices.length > 0 && option.autocomplete)
      addIssue(context, ['autocomplete'], 'APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID');
    for (const [index, { value }] of choices.entries()) {
      if (typeof value !== (isNumeric ? 'number' : 'string'))
        addIssue(context, ['choices', index, 'value'], 'APPLICATION_COMMAND_OPTION_CHOICE_TYPE');
    }
    const lessThanMinimum: FieldIssue = ['NUMBER_TYPE_MIN', 'The maximum is less than the minimum'];
    if ((option.min_value ?? -Infinity) > (option.max_value ?? Infinity))
      addIssue(context, ['max_value'], ...lessThanMinimum);
    if ((option.min_length ?? 0) > (option.max_length ?? 6000)) addIssue(context, ['max_length'], ...lessThanMinimum);
    rejectDuplicates(choices, context, ['choices'], 'APPLICATION_COMMAND_OPTION_CHOICES_NAME_ALREADY_EXISTS');
  });

const subcommand = z
  .object({ type: z.literal(optionType.subcommand), ...described, options: z.array(valueOption).max(25).nullish() })
  .superRefine(checkOptions);

const subcommandGroup = z
  .object({ type: z.literal(optionType.subcommandGroup), ...described, options: z.array(subcommand).max(25).nullish() })
  .superRefine(checkOptions);

const option = z.discriminatedUnion('type', [subcommand, subcommandGroup, valueOption]);

/** The fields of commands of all types. */
const shared = {
  default_member_permissions: z.string().regex(/^\d+$/).nullish(),
  dm_permission: z.boolean().nullish(),
  contexts: z.array(z.int().min(0).max(2)).min(1).nullish(),
  integration_types: z.array(z.int().min(0).max(1)).min(1).nullish(),
  nsfw: z.boolean().nullish(),
};

const slashCommand = z
  .object({ type: z.literal(commandType.slash), ...described, options: z.array(option).max(25).nullish(), ...shared })
  .superRefine(checkOptions)
  .superRefine((command, context) => {
    if (sizeOf(command) > 8000) addIssue(context, [], 'APPLICATION_COMMAND_TOO_LARGE');
  });

/** "USER and MESSAGE command names may be mixed case and can include spaces." */
const menuName = z.string().trim().min(1).max(32);
/** "This field is not supported" for user and message commands: an empty one is the same as none. */
const noText = z.literal('').nullish();

const menuCommand = z.object({
  type: z.literal([commandType.user, commandType.message]),
  name: menuName,
  name_localizations: localizationsOf(menuName),
  description: noText.transform(() => '' as const),
  description_localizations: z.record(z.string(), noText).nullish(),
  options: z.array(option).max(0).nullish(),
  ...shared,
});

export const commandSchema = z
  .looseObject({ type: z.literal(Object.values(commandType)).default(commandType.slash) })
  .pipe(z.discriminatedUnion('type', [slashCommand, menuCommand]));

export type ValueOption = z.output<typeof valueOption>;
export type Option = z.output<typeof option>;
/** A command as a bot registers it (Discord: "Application Command Object"). */
export type CommandSchema = z.output<typeof commandSchema>;

/** A bulk overwrite. */
export const commandListSchema = z.array(commandSchema).superRefine((commands, context) => {
  const keys = commands.map(({ type, name }) => ({ name: `${type} ${name}` }));
  rejectDuplicates(keys, context, [], 'APPLICATION_COMMANDS_DUPLICATE_NAME');
});

/** A command or an option, as far as its options are concerned. */
interface Nested {
  readonly name: string;
  readonly type?: number;
  readonly name_localizations?: Localizations;
  readonly description?: string;
  readonly description_localizations?: Localizations;
  readonly required?: boolean | null | undefined;
  readonly choices?: readonly z.output<typeof choice>[] | null | undefined;
  readonly options?: readonly Nested[] | null | undefined;
}

function checkOptions(holder: Pick<Nested, 'options'>, context: z.RefinementCtx): void {
  const options = holder.options ?? [];
  rejectDuplicates(options, context, ['options'], 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS');
  const firstOptional = options.findIndex((each) => (each.type ?? 0) >= optionType.string && !each.required);
  for (const [index, each] of options.entries()) {
    if (firstOptional !== -1 && index > firstOptional && each.required)
      addIssue(context, ['options', index], 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID');
  }
  const nested = options.filter((each) => (each.type ?? 0) < optionType.string).length;
  if (nested !== 0 && nested !== options.length)
    addIssue(context, ['options'], 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID');
}

function rejectDuplicates(
  items: readonly { readonly name: string }[],
  context: z.RefinementCtx,
  path: PropertyKey[],
  code: string,
): void {
  const names = items.map((each) => each.name);
  for (const [index, each] of names.entries()) {
    if (names.indexOf(each) < index) addIssue(context, [...path, index], code, 'The name is already taken');
  }
}

/** The total length of names, descriptions and values. Discord: "Application Command Object", limits. */
function sizeOf({ description = '', description_localizations, choices, options, ...part }: Nested): number {
  const texts = [longest(part.name, part.name_localizations), longest(description, description_localizations)];
  const ofChoices = (choices ?? []).flatMap((each) => [
    longest(each.name, each.name_localizations),
    String(each.value).length,
  ]);
  return [...texts, ...ofChoices, ...(options ?? []).map(sizeOf)].reduce((sum, size) => sum + size, 0);
}

/** "Only the longest localization for each field (including the default value) is counted". */
function longest(text: string, localizations: Localizations): number {
  return Math.max(text.length, ...Object.values(localizations ?? {}).map((each) => each?.length ?? 0));
}

export type ParentOption = Exclude<Option, ValueOption>;

/** True if an option is a subcommand or a group of them. */
export function isParent(each: Option): each is ParentOption {
  return each.type === optionType.subcommand || each.type === optionType.subcommandGroup;
}
