import { z } from 'zod';
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
      addIssue(context, [], 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
    }
  });

const description = z.string().min(1).max(100);

/** Translations by locale, with the same restrictions as the text itself. */
const localizationsOf = (text: z.ZodType<string, string>) =>
  z
    .record(z.string(), text.nullish())
    .superRefine((dictionary, context) => {
      for (const locale of Object.keys(dictionary)) {
        if (!isLocale(locale))
          addIssue(context, [locale], 'BASE_TYPE_CHOICES', `Value must be one of {${locales.join(', ')}}.`);
      }
    })
    .nullish();

const localizations = {
  name_localizations: localizationsOf(name),
  description_localizations: localizationsOf(description),
};

const choiceName = z.string().min(1).max(100);

export const choice = z.object({
  name: choiceName,
  name_localizations: localizationsOf(choiceName),
  value: z.union([z.string().max(100), z.number()]),
});

/** An option with a value. */
const valueOption = z
  .object({
    type: z.literal([3, 4, 5, 6, 7, 8, 9, 10, 11]),
    name,
    description,
    ...localizations,
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
    const allowsChoices = isNumeric || option.type === optionType.string;
    if (option.choices?.length && !allowsChoices) {
      addIssue(
        context,
        ['choices'],
        'APPLICATION_COMMAND_OPTION_CHOICES_NOT_ALLOWED',
        'This option type does not support choices',
      );
    }
    if (option.choices?.length && option.autocomplete) {
      addIssue(
        context,
        ['autocomplete'],
        'APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID',
        'Choices and autocomplete are mutually exclusive',
      );
    }
    for (const [index, each] of (option.choices ?? []).entries()) {
      const fits = isNumeric ? typeof each.value === 'number' : typeof each.value === 'string';
      if (!fits)
        addIssue(
          context,
          ['choices', index, 'value'],
          'APPLICATION_COMMAND_OPTION_CHOICE_TYPE',
          'Value does not match the option type',
        );
    }
    if ((option.min_value ?? -Infinity) > (option.max_value ?? Infinity)) {
      addIssue(context, ['max_value'], 'NUMBER_TYPE_MIN', 'The maximum is less than the minimum');
    }
    if ((option.min_length ?? 0) > (option.max_length ?? 6000)) {
      addIssue(context, ['max_length'], 'NUMBER_TYPE_MIN', 'The maximum is less than the minimum');
    }
    rejectDuplicates(
      option.choices ?? [],
      context,
      ['choices'],
      'APPLICATION_COMMAND_OPTION_CHOICES_NAME_ALREADY_EXISTS',
    );
  });

const subcommand = z
  .object({
    type: z.literal(optionType.subcommand),
    name,
    description,
    ...localizations,
    options: z.array(valueOption).max(25).nullish(),
  })
  .superRefine(checkOptions);

const subcommandGroup = z
  .object({
    type: z.literal(optionType.subcommandGroup),
    name,
    description,
    ...localizations,
    options: z.array(subcommand).max(25).nullish(),
  })
  .superRefine(checkOptions);

const option = z.discriminatedUnion('type', [subcommand, subcommandGroup, valueOption]);

const slashCommand = z
  .object({
    type: z.literal(1).default(1),
    name,
    description,
    ...localizations,
    options: z.array(option).max(25).nullish(),
    default_member_permissions: z.string().regex(/^\d+$/).nullish(),
    dm_permission: z.boolean().nullish(),
    contexts: z.array(z.int().min(0).max(2)).nullish(),
    integration_types: z.array(z.int().min(0).max(1)).nullish(),
    nsfw: z.boolean().nullish(),
  })
  .superRefine(checkOptions)
  .superRefine((command, context) => {
    if (sizeOf(command) > 8000) {
      addIssue(context, [], 'APPLICATION_COMMAND_TOO_LARGE', 'Command exceeds maximum size (8000)');
    }
  });

export type ValueOption = z.output<typeof valueOption>;
export type Option = z.output<typeof option>;
export type CommandSchema = z.output<typeof slashCommand>;

export const commandSchema = slashCommand;

/** A bulk overwrite. */
export const commandListSchema = z.array(slashCommand).superRefine((commands, context) => {
  rejectDuplicates(commands, context, [], 'APPLICATION_COMMANDS_DUPLICATE_NAME');
});

interface NestedChoice {
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly value: string | number;
}

interface NestedOption {
  readonly name: string;
  readonly type?: number;
  readonly name_localizations?: Localizations;
  readonly description?: string;
  readonly description_localizations?: Localizations;
  readonly required?: boolean | null | undefined;
  readonly choices?: readonly NestedChoice[] | null | undefined;
  readonly options?: readonly NestedOption[] | null | undefined;
}

function checkOptions(
  holder: { options?: readonly NestedOption[] | null | undefined },
  context: z.RefinementCtx,
): void {
  const options = holder.options ?? [];
  rejectDuplicates(options, context, ['options'], 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS');
  const firstOptional = options.findIndex((each) => (each.type ?? 0) >= optionType.string && !each.required);
  for (const [index, each] of options.entries()) {
    if (firstOptional !== -1 && index > firstOptional && each.required) {
      const message = 'Required options must be placed before non-required options';
      addIssue(context, ['options', index], 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', message);
    }
  }
  const nested = options.filter((each) => (each.type ?? 0) < optionType.string).length;
  if (nested !== 0 && nested !== options.length) {
    const message = 'Sub-command and sub-command group option types are mutually exclusive to all other types';
    addIssue(context, ['options'], 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', message);
  }
}

function rejectDuplicates(
  items: readonly { readonly name: string }[],
  context: z.RefinementCtx,
  path: PropertyKey[],
  code: string,
): void {
  for (const [index, { name: each }] of items.entries()) {
    if (items.findIndex((other) => other.name === each) < index) {
      addIssue(context, [...path, index], code, 'The name is already taken');
    }
  }
}

/** The total length of names, descriptions and values. Discord: "Application Command Object", limits. */
function sizeOf(part: NestedOption): number {
  const choices = (part.choices ?? []).reduce(
    (sum, each) => sum + longest(each.name, each.name_localizations) + String(each.value).length,
    0,
  );
  const nested = (part.options ?? []).reduce((sum, each) => sum + sizeOf(each), 0);
  const names = longest(part.name, part.name_localizations);
  return names + longest(part.description ?? '', part.description_localizations) + choices + nested;
}

/** "Only the longest localization for each field (including the default value) is counted". */
function longest(text: string, localizations: Localizations): number {
  return Math.max(text.length, ...Object.values(localizations ?? {}).map((each) => each?.length ?? 0));
}
