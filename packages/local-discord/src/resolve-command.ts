import { isParent, type Option, optionType, type ParentOption, type ValueOption } from './command-schema.ts';
import type { StoredCommand } from './commands.ts';
import { reject } from './errors.ts';
import type { FileInput, Files } from './files.ts';
import { type Attachment, isInGuild } from './objects.ts';
import { isWithoutBot } from './places-without-bot.ts';
import { type Actor, type Directory, type Resolved, resolveReferences } from './resolved.ts';

type SentValue = string | number | boolean;
/** The value that a member enters for an option. */
export type OptionInput = string | number | boolean | FileInput;

interface SentOption {
  readonly name: string;
  readonly type: number;
  readonly value?: SentValue;
  /** The option that the member is typing in. */
  readonly focused?: true;
  readonly options?: readonly SentOption[];
}

/**
 * Checks a member's input against the registered command. Returns the options as the client sends them, with the objects
 * behind their ids.
 *
 * @param path the names of the subcommands
 * @throws RejectedByClientError if the client would reject the input
 */
export function resolveCommand(
  actor: Actor,
  files: Files,
  command: StoredCommand,
  path: readonly string[],
  input: Readonly<Record<string, OptionInput>>,
) {
  const { parents, values } = findOptions(command, path);
  const unknown = Object.keys(input).find((name) => !values.some((option) => option.name === name));
  if (unknown !== undefined) reject('unknown_option', `/${command.name} has no option ${unknown}`);
  const attachments: Record<string, Attachment> = {};
  const upload = (file: FileInput) => {
    const attachment = files.store(file);
    attachments[attachment.id] = attachment;
    return attachment.id;
  };
  const options = values.flatMap((option): SentOption[] => {
    const { name, type, required } = option;
    const value = input[name];
    if (value === undefined) return required ? reject('option_missing', `The option ${name} is required`) : [];
    const issue = findIssue(actor.directory, option, value);
    if (issue !== undefined) reject('option_invalid', `The option ${name} ${issue}`);
    return [{ name, type, value: typeof value === 'object' ? upload(value) : value }];
  });
  const references = options.map(({ type, value }) => ({ type, id: String(value) }));
  const entities: Resolved = resolveReferences(actor, references);
  const resolved = Object.keys(attachments).length > 0 ? { ...entities, attachments } : entities;
  return { options: nestOptions(parents, options), resolved };
}

/**
 * The options of an autocomplete interaction: the unchecked input so far, and which option has the focus.
 *
 * @throws RejectedByClientError if the option has no autocomplete
 */
export function resolveAutocomplete(
  command: StoredCommand,
  path: readonly string[],
  input: Readonly<Record<string, OptionInput>>,
  focused: { readonly name: string; readonly value: string },
): readonly SentOption[] {
  const { parents, values } = findOptions(command, path);
  if (!values.some((option) => option.name === focused.name && option.autocomplete)) {
    reject('no_autocomplete', `/${command.name} has no autocomplete for ${focused.name}`);
  }
  const options = values.flatMap(({ name, type }): SentOption[] => {
    if (name === focused.name) return [{ name, type, value: focused.value, focused: true }];
    const value = input[name];
    return value === undefined || typeof value === 'object' ? [] : [{ name, type, value }];
  });
  return nestOptions(parents, options);
}

/** The subcommands along the path, and the options at its end. */
function findOptions(command: StoredCommand, path: readonly string[]) {
  const parents: ParentOption[] = [];
  let options: readonly Option[] = command.options ?? [];
  for (const name of path) {
    const parent =
      options.filter(isParent).find((option) => option.name === name) ??
      reject('unknown_subcommand', `/${command.name} has no subcommand ${name}`);
    parents.push(parent);
    options = parent.options ?? [];
  }
  if (options.some(isParent)) reject('subcommand_missing', `/${command.name} needs a subcommand`);
  const values = options.filter((option) => !isParent(option));
  return { parents, values };
}

function nestOptions(parents: readonly ParentOption[], options: readonly SentOption[]): readonly SentOption[] {
  return parents.reduceRight<readonly SentOption[]>(
    (inner, parent) => [{ name: parent.name, type: parent.type, options: inner }],
    options,
  );
}

function findIssue(directory: Directory, option: ValueOption, value: OptionInput): string | undefined {
  const id = typeof value === 'string' ? value : '';
  const isRole = directory.roles.some((role) => role.id === id);
  if (option.choices?.length && !option.choices.some((choice) => choice.value === value))
    return 'is not one of the choices';
  switch (option.type) {
    case optionType.boolean:
      return typeof value === 'boolean' ? undefined : 'is not true or false';
    case optionType.integer:
    case optionType.number:
      return findNumberIssue(option, value);
    case optionType.user:
      return directory.user(id) ? undefined : 'is not a user';
    case optionType.channel: {
      const channel = directory.channels.get(id);
      if (channel === undefined || !isInGuild(channel) || isWithoutBot(channel)) return 'is not a channel';
      return option.channel_types?.includes(channel.type) === false ? 'is not a channel of an allowed type' : undefined;
    }
    case optionType.role:
      return isRole ? undefined : 'is not a role';
    case optionType.mentionable:
      return isRole || directory.user(id) ? undefined : 'is not mentionable';
    case optionType.attachment:
      return typeof value === 'object' ? undefined : 'is not a file';
    default:
      return findTextIssue(option, value);
  }
}

function findNumberIssue(option: ValueOption, value: OptionInput): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'is not a number';
  if (option.type === optionType.integer && !Number.isSafeInteger(value)) return 'is not a whole number';
  if (value < (option.min_value ?? -Infinity)) return `is less than ${option.min_value}`;
  if (value > (option.max_value ?? Infinity)) return `is more than ${option.max_value}`;
  return undefined;
}

function findTextIssue(option: ValueOption, value: OptionInput): string | undefined {
  if (typeof value !== 'string') return 'is not text';
  if (value.length < (option.min_length ?? 1)) return 'is too short';
  if (value.length > (option.max_length ?? 6000)) return 'is too long';
  return undefined;
}
