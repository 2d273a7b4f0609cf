import { type CommandInput, selectedValues, textField } from '../../src/discord/commands/input.ts';
import type { ModalField, SelectChoice } from '../../src/discord/commands/reply.ts';
import { fieldText } from '../../src/platform/json.ts';
import type { Texts } from '../../src/texts/texts.ts';
import type { SettingPath } from './view.ts';

export const sectionIds = ['listing', 'channels', 'rewards', 'roles', 'reminders', 'shop', 'announcements'] as const;
export type SectionId = (typeof sectionIds)[number];

/** What a form shows and reads. */
export interface FormContext {
  readonly texts: Texts;
  /** The value in effect. */
  readonly value: (path: SettingPath) => unknown;
  /** The position of the entry of a list that is edited; null for a new one, or without a list. */
  readonly entry: number | null;
  /** What a new item of the shop is. */
  readonly variant: string | null;
}

/** New values by path; undefined takes back what was stored. Paths that are left out stay as they are. */
export type FormValues = Partial<Readonly<Record<SettingPath, unknown>>>;

/** A modal that edits settings. Its fields start with the values in effect. */
export interface Form {
  readonly section: SectionId;
  title(texts: Texts): string;
  fields(context: FormContext): readonly ModalField[];
  /** Numbers that are not whole, and other invalid texts, are passed on as they are, and found when they are saved. */
  read(input: CommandInput, context: FormContext): FormValues;
  /** Fields that are never stored nor shown again. */
  readonly secretFields?: readonly string[];
}

/** A short text that may stay empty. */
export function shortText(
  name: string,
  label: string,
  value: unknown,
  options: { readonly description?: string; readonly maxLength?: number; readonly required?: boolean } = {},
): ModalField {
  return { kind: 'text', name, label, value: fieldText(value), required: false, maxLength: 100, ...options };
}

/** A select of one channel or role, which may stay empty. */
export function optionalSelect(
  kind: 'channels' | 'roles',
  name: string,
  label: string,
  value: unknown,
  description?: string,
): ModalField {
  const selected = typeof value === 'string' ? [value] : [];
  return { kind, name, label, selected, required: false, ...(description === undefined ? {} : { description }) };
}

export function radios(
  name: string,
  label: string,
  choices: readonly (readonly [value: string, label: string])[],
  value: unknown,
): ModalField {
  return { kind: 'radios', name, label, choices: toChoices(choices, [value]) };
}

export function toChoices(
  choices: readonly (readonly [value: string, label: string])[],
  selected: readonly unknown[],
): SelectChoice[] {
  return choices.map(([value, label]) => ({ value, label, selected: selected.includes(value) }));
}

/** A box that removes the edited entry. */
export function removeBox({ texts, entry }: FormContext): readonly ModalField[] {
  return entry === null ? [] : [{ kind: 'checkbox', name: 'remove', label: texts.setup.fields.remove }];
}

/** A number; the text itself if it is none, and undefined if it is empty. */
export function numberField(input: CommandInput, name: string): unknown {
  const text = textField(input, name);
  if (text === '') return undefined;
  return /^\d{1,12}(?:[.,]\d{1,6})?$/.test(text) ? Number(text.replace(',', '.')) : text;
}

/** A text; undefined if it is empty. */
export function optionalText(input: CommandInput, name: string): string | undefined {
  return textField(input, name) || undefined;
}

/** The id of the selected channel or role; null for none. */
export function selectedId(input: CommandInput, name: string): string | null {
  return selectedValues(input, name)[0] ?? null;
}

/** The list with the edited entry in its place, or with a new one at the end. */
export function withEntry<Entry>(list: readonly Entry[], position: number | null, entry: Entry): readonly Entry[] {
  return position === null || position >= list.length ? [...list, entry] : list.with(position, entry);
}
