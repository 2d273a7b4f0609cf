import type { RawFile } from '@discordjs/rest';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { webAddress } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIButtonComponentWithURL,
  type APIChannelSelectComponent,
  type APIModalInteractionResponseCallbackData,
  type APIRoleSelectComponent,
  type APIStringSelectComponent,
  type APIUserSelectComponent,
  ButtonStyle,
  ChannelType,
  ComponentType,
  SelectMenuDefaultValueType,
  TextInputStyle,
} from 'discord-api-types/v10';
import type {
  ActionTarget,
  Modal,
  ModalField,
  OptionValue,
  Reply,
  ReplyButton,
  ReplyFile,
  ReplySelect,
  Select,
  SelectChoice,
} from '../commands/reply.ts';

/** Discord: "Button Structure", "Action Row", "String Select". */
export const maxButtonsPerRow = 5;
const limits = { label: 80, rows: 5, placeholder: 150, choices: 25, choiceText: 100, values: 25 };

const styles = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  success: ButtonStyle.Success,
  danger: ButtonStyle.Danger,
} as const;

type Button = APIButtonComponentWithCustomId | APIButtonComponentWithURL;
type SelectComponent =
  | APIStringSelectComponent
  | APIUserSelectComponent
  | APIRoleSelectComponent
  | APIChannelSelectComponent;
export type ComponentRow = APIActionRowComponent<Button | SelectComponent>;

/**
 * The components of the replies in one message, each once. Leaves out those that Discord would reject: a reply without a
 * button is better than no reply.
 * @param command the command of page buttons and actions; null outside a command, where an action names its command
 */
export function renderComponents(
  replies: readonly Pick<Reply, 'buttons' | 'selects'>[],
  command: string | null,
): ComponentRow[] {
  const keys = new Set<string>();
  const add = <Component extends Button | SelectComponent>(
    shown: Component[],
    component: Component | null,
    max: number,
  ) => {
    if (component === null || shown.length === max || keys.has(keyOf(component))) return;
    keys.add(keyOf(component));
    shown.push(component);
  };
  const selects: SelectComponent[] = [];
  for (const reply of replies) {
    for (const select of reply.selects ?? []) add(selects, renderReplySelect(select, command), limits.rows);
  }
  const rows: Button[][] = [];
  const maxRows = limits.rows - selects.length;
  for (const button of replies.flatMap((reply) => reply.buttons ?? [])) {
    const isFull = (rows.at(-1)?.length ?? maxButtonsPerRow) === maxButtonsPerRow;
    const beginsRow = button.kind === 'action' && button.beginsRow === true;
    if ((isFull || beginsRow) && rows.at(-1)?.length !== 0) {
      if (rows.length === maxRows) break;
      rows.push([]);
    }
    add(rows.at(-1) ?? [], renderButton(button, command), maxButtonsPerRow);
  }
  return [...selects.map((select) => rowOf([select])), ...rows.filter((row) => row.length > 0).map(rowOf)];
}

/** The custom id of an action; null if it does not fit or belongs to no command. */
export function actionId(target: ActionTarget, replyCommand: string | null): string | null {
  const command = target.command ?? replyCommand;
  if (command === null) return null;
  return encodeCustomId({ command, action: target.action, options: target.options ?? {} });
}

/** A select for a message or a modal; null if it offers nothing. */
function renderSelect(select: Select, customId: string): SelectComponent | null {
  const placeholder = plainName(select.placeholder ?? '', limits.placeholder);
  const clamp = (value: number, max: number) => Math.min(max, Math.max(0, value));
  const base = (choices: number) => {
    const maxValues = Math.max(1, clamp(select.maxValues ?? 1, choices));
    return {
      custom_id: customId,
      min_values: clamp(select.minValues ?? 1, maxValues),
      max_values: maxValues,
      ...(placeholder === '' ? {} : { placeholder }),
    };
  };
  switch (select.kind) {
    case 'choices': {
      const options = choicesOf(select);
      if (options.length === 0) return null;
      return { type: ComponentType.StringSelect, ...base(options.length), options };
    }
    case 'users':
      return { type: ComponentType.UserSelect, ...withDefaults(base(limits.values), select, User) };
    case 'roles':
      return { type: ComponentType.RoleSelect, ...withDefaults(base(limits.values), select, Role) };
    case 'channels': {
      const defaults = withDefaults(base(limits.values), select, Channel);
      return { type: ComponentType.ChannelSelect, ...defaults, channel_types: textChannels };
    }
  }
}

const { User, Role, Channel } = SelectMenuDefaultValueType;

interface Bounds {
  readonly custom_id: string;
  readonly min_values: number;
  readonly max_values: number;
}

/** Discord rejects an id with leading zeros. */
const leadingZero = /^0\d/;

/** A select with the ids that are selected at first. Discord rejects fewer than the minimum, so then there are none. */
function withDefaults<Type extends SelectMenuDefaultValueType>(
  base: Bounds,
  { selected = [] }: { readonly selected?: readonly string[] },
  type: Type,
) {
  const valid = selected.filter((id) => isSnowflake(id) && !leadingZero.test(id));
  const ids = [...new Set(valid)].slice(0, base.max_values);
  if (ids.length === 0 || ids.length < base.min_values) return base;
  return { ...base, default_values: ids.map((id) => ({ id, type })) };
}

/** Types of channels that a bot can post announcements in. */
const textChannels = [ChannelType.GuildText, ChannelType.GuildAnnouncement];

/** The choices that Discord accepts, of which at most `maxValues` are selected. */
function choicesOf(
  { choices, maxValues = 1 }: { readonly choices: readonly SelectChoice[]; readonly maxValues?: number },
  maxChoices = limits.choices,
): APIStringSelectComponent['options'] {
  const valid = choices.filter(
    ({ value }, index) =>
      value.trim() !== '' &&
      value.length <= limits.choiceText &&
      choices.findIndex((other) => other.value === value) === index,
  );
  let selected = 0;
  return valid
    .map((choice) => ({ choice, label: plainName(choice.label, limits.choiceText) }))
    .filter(({ label }) => label !== '')
    .slice(0, maxChoices)
    .map(({ choice, label }) => {
      const description = plainName(choice.description ?? '', limits.choiceText);
      const isDefault = choice.selected === true && selected < maxValues;
      if (isDefault) selected += 1;
      return {
        label,
        value: choice.value,
        ...(description === '' ? {} : { description }),
        ...(isDefault ? { default: true } : {}),
      };
    });
}

/** Null if it offers nothing, or its id does not fit. */
export function renderReplySelect(select: ReplySelect, command: string | null): SelectComponent | null {
  const id = actionId(select, command);
  const component = id === null ? null : renderSelect(select, id);
  return component === null || select.disabled !== true ? component : { ...component, disabled: true };
}

/** Null without a label, or if its id or URL is invalid. */
export function renderButton(button: ReplyButton, command: string | null): Button | null {
  const label = plainName(button.label, limits.label);
  if (label === '') return null;
  if (button.kind === 'link') {
    const url = webAddress(button.url);
    return url === null ? null : { type: ComponentType.Button, style: ButtonStyle.Link, label, url };
  }
  const isPage = button.kind === 'page';
  const pageId = () =>
    command === null ? null : encodeCustomId({ command, action: null, options: button.options ?? {} });
  const id = isPage ? pageId() : actionId(button, command);
  if (id === null) return null;
  const style = styles[isPage ? 'secondary' : (button.style ?? 'secondary')];
  return { type: ComponentType.Button, style, label, custom_id: id, disabled: button.disabled ?? false };
}

/** Discord rejects two components with the same id, and two links with the same label and address are one too many. */
export function keyOf(component: Button | SelectComponent): string {
  return 'custom_id' in component ? component.custom_id : `${component.url} ${component.label}`;
}

export function rowOf(components: (Button | SelectComponent)[]): ComponentRow {
  return { type: ComponentType.ActionRow, components };
}

/** Discord: "Custom ID", 1 to 100 characters. */
const maxCustomIdLength = 100;
/** Prefix of all our custom ids: other programs with the same token have buttons, selects and modals of their own. */
const prefix = 'tallyhook:';
const content = /^([a-z][a-z0-9_-]{0,31})(?:\/([a-z][a-z0-9-]{0,31}))?:(.*)$/s;

/** The content of the custom id of a component or modal: the command to run, and its options. */
export interface CustomId {
  readonly command: string;
  /** Null for a page button. */
  readonly action: string | null;
  readonly options: Readonly<Record<string, OptionValue>>;
}

/**
 * `tallyhook:reviews:sort=newest&limit=12&page=2` or, with an action, `tallyhook:shop/buy:item=vip`: the id holds all
 * state of a component, so it works after a restart. Null if it would exceed 100 characters.
 */
export function encodeCustomId({ command, action, options }: CustomId): string | null {
  const pairs = Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]);
  const target = action === null ? command : `${command}/${action}`;
  const id = `${prefix}${target}:${new URLSearchParams(pairs).toString()}`;
  return id.length <= maxCustomIdLength ? id : null;
}

/** True if a custom id has our format. It is untrusted: everyone who can post with the token can create one. */
export function isOwnCustomId(id: string): boolean {
  return id.startsWith(prefix);
}

/** Null for an id that is not ours. The options are untrusted strings. */
export function decodeCustomId(id: string): CustomId | null {
  if (!isOwnCustomId(id)) return null;
  const [, command, action = null, query] = content.exec(id.slice(prefix.length)) ?? [];
  if (command === undefined || query === undefined) return null;
  return { command, action, options: Object.fromEntries(new URLSearchParams(query)) };
}

/** Discord: "Uploading Files" (count). */
const maxFiles = 10;
/** Discord: "Attachment Object", "Media Gallery", "Thumbnail" (characters). */
const maxDescriptionLength = 1_024;
/** Discord replaces other characters, so that a reference would lead nowhere. */
const referableName = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** A file that is sent with a message. */
export interface Attachment {
  readonly name: string;
  readonly content: Buffer;
  readonly description?: string;
}

export function renderFiles(files: readonly ReplyFile[]): Attachment[] {
  return files.slice(0, maxFiles).map(({ name, content, description }) => ({
    name,
    content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    ...descriptionOf(description),
  }));
}

/** The entries of `attachments` in the body of a message, and the files beside it. Discord: "Uploading Files". */
interface Upload {
  readonly attachments: readonly { readonly id: string; readonly filename: string; readonly description?: string }[];
  readonly files: RawFile[];
}

export function uploadOf(files: readonly Attachment[]): Upload {
  return {
    attachments: files.map(({ name, description }, id) => ({
      id: String(id),
      filename: name,
      ...(description === undefined ? {} : { description }),
    })),
    files: files.map(({ name, content }) => ({ name, data: content })),
  };
}

/** The names of the files that embeds and components of the message can show. */
export function attachedNames(files: readonly ReplyFile[] = []): string[] {
  const names = files.slice(0, maxFiles).map(({ name }) => name);
  return [...new Set(names)].filter((name) => referableName.test(name));
}

/** The URL by which a message shows an attached file. */
export function attachmentUrl(name: string): string {
  return `attachment://${name}`;
}

/** For screen readers; nothing if it is empty. */
export function descriptionOf(text: string | undefined): { readonly description?: string } {
  const description = plainName(text ?? '', maxDescriptionLength);
  return description === '' ? {} : { description };
}

/** Discord: "Modal", "Label", "Text Input", "Radio Group", "Checkbox Group", "File Upload". */
const modalLimits = { title: 45, fields: 5, label: 45, description: 100, placeholder: 100, value: 4_000, boxes: 10 };
const minRadios = 2;

/** The modal as Discord accepts it. @throws Error if its action has no id, or nothing can be entered */
export function renderModal(modal: Modal, command: string): APIModalInteractionResponseCallbackData {
  const id = actionId(modal, command);
  const components = modal.fields.slice(0, modalLimits.fields).flatMap((field) => renderField(field) ?? []);
  if (id === null || components.length === 0) throw new Error(`The modal ${modal.action} of /${command} is invalid.`);
  return { custom_id: id, title: plainName(modal.title, modalLimits.title), components };
}

function renderField(field: ModalField): APIModalInteractionResponseCallbackData['components'][number] | null {
  const component = renderInput(field);
  if (component === null) return null;
  const description = plainName(field.description ?? '', modalLimits.description);
  return {
    type: ComponentType.Label,
    label: plainName(field.label, modalLimits.label),
    ...(description === '' ? {} : { description }),
    component,
  };
}

function renderInput(field: ModalField) {
  const { name, required = true } = field;
  switch (field.kind) {
    case 'text':
      return renderText(field, required);
    case 'radios': {
      const options = choicesOf({ choices: field.choices, maxValues: 1 }, modalLimits.boxes);
      if (options.length < minRadios) return null;
      return { type: ComponentType.RadioGroup as const, custom_id: name, required, options };
    }
    case 'checkboxes':
      return renderCheckboxes(field, required);
    case 'file': {
      const type = ComponentType.FileUpload as const;
      return { type, custom_id: name, required, min_values: required ? 1 : 0, max_values: 1 };
    }
    case 'checkbox':
      return {
        type: ComponentType.Checkbox as const,
        custom_id: name,
        ...(field.checked === true ? { default: true } : {}),
      };
    default: {
      const select = renderSelect(required ? field : { ...field, minValues: 0 }, name);
      if (select === null) return null;
      // Nothing may be selected in a field that is not required, and only there.
      return { ...select, required, min_values: required ? Math.max(1, select.min_values ?? 1) : 0 };
    }
  }
}

function renderCheckboxes(
  { name, choices, minValues, maxValues }: ModalField & { kind: 'checkboxes' },
  required: boolean,
) {
  const count = choicesOf({ choices }, modalLimits.boxes).length;
  if (count === 0) return null;
  const max = Math.max(1, Math.min(count, maxValues ?? count));
  const min = required ? Math.max(1, Math.min(max, minValues ?? 1)) : 0;
  const options = choicesOf({ choices, maxValues: max }, modalLimits.boxes);
  return {
    type: ComponentType.CheckboxGroup as const,
    custom_id: name,
    required,
    min_values: min,
    max_values: max,
    options,
  };
}

function renderText(field: ModalField & { kind: 'text' }, required: boolean) {
  const { name, multiline = false, minLength, maxLength, value, placeholder } = field;
  return {
    type: ComponentType.TextInput as const,
    custom_id: name,
    style: multiline ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required,
    ...(minLength === undefined ? {} : { min_length: minLength }),
    ...(maxLength === undefined ? {} : { max_length: maxLength }),
    ...(value === undefined ? {} : { value: value.slice(0, maxLength ?? modalLimits.value) }),
    ...(placeholder === undefined ? {} : { placeholder: plainName(placeholder, modalLimits.placeholder) }),
  };
}
