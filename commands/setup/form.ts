import { durationChoices, timeZoneChoices } from '../../src/core/settings/field-choices.ts';
import type { SettingField, SettingSpec } from '../../src/core/settings/setting-spec.ts';
import { type CommandInput, isChecked, selectedValues, textField } from '../../src/discord/commands/input.ts';
import type { ModalField, SelectChoice } from '../../src/discord/commands/reply.ts';
import { type SettingPath, settingAt, settings } from '../../src/features/settings.ts';
import { parseDuration, toDurationText } from '../../src/platform/duration-text.ts';
import { second } from '../../src/platform/durations.ts';
import { fieldText, type JsonObject, listOf, objectOf, textOf, withoutUndefined } from '../../src/platform/json.ts';
import type { Texts } from '../../src/texts/texts.ts';

type SetupTexts = Texts['setup'];

export interface FormContext {
  readonly texts: Texts;
  /** The value in effect. */
  readonly value: (path: SettingPath) => unknown;
  /** The position of the entry of a list that is edited; null for a new one, or without a list. */
  readonly entry: number | null;
  /** Which kind of entry a new one is, if there are several. */
  readonly variant: string | null;
}

/** New values by path; undefined takes back what was stored. Paths that are left out stay as they are. */
export type FormValues = Partial<Readonly<Record<SettingPath, unknown>>>;

/** A modal that edits settings. Its fields start with the values in effect. */
export interface Form {
  /** In the ids of components, and of its title in the texts. */
  readonly name: keyof SetupTexts['forms'];
  readonly paths: readonly SettingPath[];
  /** Opens it, in its section. */
  readonly button?: keyof SetupTexts['buttons'];
  /** What opens it for an entry of a list, or for a new one: a select in its section. */
  readonly list?: {
    readonly placeholder: keyof SetupTexts['placeholders'];
    readonly add: keyof SetupTexts['choices'];
    /** The entries in words. */
    entries(value: unknown, texts: Texts): readonly string[];
  };
  fields(context: FormContext): readonly ModalField[];
  /** Numbers that are not whole, and other invalid texts, are passed on as they are, and found when they are saved. */
  read(input: CommandInput, context: FormContext): FormValues;
  /** Fields that are never stored nor shown again. */
  readonly secretFields?: readonly string[];
}

/** The form with the fields of these settings, and then of those that say themselves that they are in it. */
export function settingsForm(
  name: Form['name'],
  button: keyof SetupTexts['buttons'],
  named: readonly SettingPath[] = [],
): Form {
  const paths = [...named, ...placedIn(name)];
  return {
    ...{ name, paths, button },
    fields: ({ texts, value }) => {
      const shown = paths.flatMap((path) =>
        fieldsOf(path).map((field) => ({ field, value: partOf(field, value(path)) ?? field.preset })),
      );
      return shown.flatMap((each, index) => {
        const sameName = shown.filter(({ field }) => field.name === each.field.name);
        return shown.indexOf(sameName[0] ?? each) === index ? modalFields(each, sameName, texts) : [];
      });
    },
    read: (input, { value }) =>
      Object.fromEntries(paths.map((path) => [path, readSetting(fieldsOf(path), input, value(path))])),
  };
}

function placedIn(form: Form['name']): SettingPath[] {
  const specs: readonly SettingSpec[] = settings;
  return specs.filter((spec) => spec.form === form).map(({ path }) => path as SettingPath);
}

function fieldsOf(path: SettingPath): readonly SettingField[] {
  return settingAt(path).fields ?? [];
}

function partOf({ part }: SettingField, value: unknown): unknown {
  return part === undefined ? value : objectOf(value)[part];
}

interface ShownField {
  readonly field: SettingField;
  readonly value: unknown;
}

/** The field for a zone that the select does not have; it has precedence. */
const otherTimeZone = 'otherTimeZone';

function unitsToText(value: number, unitMs = second): string {
  return toDurationText(Math.round((value * unitMs) / second) * second);
}

/** @param boxes the switches of the same name */
function modalFields(
  { field, value }: ShownField,
  boxes: readonly ShownField[],
  texts: Texts,
): ModalField | readonly ModalField[] {
  const { setup } = texts;
  const { name, hint, maxLength } = field;
  const label = setup.fields[name];
  const options = { ...(hint && { description: setup.hints[hint] }), ...(maxLength && { maxLength }) };
  switch (field.kind) {
    case 'text':
    case 'number':
      return shortText(name, label, value, options);
    case 'longText':
      return { kind: 'text', name, label, required: false, multiline: true, value: fieldText(value), ...options };
    case 'channels':
    case 'roles':
      return optionalSelect(field.kind, name, label, value, options.description);
    case 'radios':
      return radios(name, label, field.choices(texts), value);
    case 'select':
      return selectOf(name, label, field.choices(texts), value, options.description);
    case 'duration': {
      const present = typeof value === 'number' ? unitsToText(value, field.unitMs) : textOf(value);
      return selectOf(name, label, durationChoices(field.choices, present, texts), present, options.description);
    }
    case 'timeZone':
      return [
        selectOf(name, label, timeZoneChoices(textOf(value), texts), value, options.description),
        shortText(otherTimeZone, setup.fields[otherTimeZone], '', { description: setup.hints[otherTimeZone] }),
      ];
    case 'switch': {
      const choices = boxes.flatMap(({ field: box, value: isOn }) =>
        box.kind === 'switch' ? { value: box.choice, label: setup.choices[box.choice], selected: isOn === true } : [],
      );
      return { kind: 'checkboxes', name, label, required: false, choices };
    }
  }
}

/** The entered value of a setting. What a form does not show of an object stays as it is. */
function readSetting(fields: readonly SettingField[], input: CommandInput, current: unknown): unknown {
  const [only] = fields;
  if (only === undefined || only.part === undefined) return only && readField(only, input);
  const parts = fields.map((field) => [field, readField(field, input) ?? undefined] as const);
  if (parts.some(([{ isRequiredPart }, value]) => isRequiredPart && value === undefined)) return null;
  const others = Object.entries(objectOf(current)).filter(([name]) => fields.every(({ part }) => part !== name));
  const entered = parts.filter(([, value]) => value !== undefined).map(([{ part = '' }, value]) => [part, value]);
  return Object.fromEntries([...others, ...entered]);
}

function readField(field: SettingField, input: CommandInput): unknown {
  const value = enteredValue(field, input);
  return 'ifEmpty' in field ? (value ?? field.ifEmpty) : value;
}

function enteredValue(field: SettingField, input: CommandInput): unknown {
  const { name } = field;
  switch (field.kind) {
    case 'number':
      return numberField(input, name);
    case 'text':
    case 'longText':
      return optionalText(input, name);
    case 'channels':
    case 'roles':
    case 'select':
      return selectedId(input, name) ?? null;
    case 'duration': {
      const text = selectedId(input, name);
      return text === undefined || field.unitMs === undefined ? text : parseDuration(text) / field.unitMs;
    }
    case 'timeZone':
      return optionalText(input, otherTimeZone) ?? selectedId(input, name);
    case 'radios':
      return input.fields[name];
    case 'switch':
      return selectedValues(input, name).includes(field.choice);
  }
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

/** A select of one choice, which may stay empty. */
export function selectOf(
  name: string,
  label: string,
  choices: readonly (readonly [value: string, label: string])[],
  value: unknown,
  description?: string,
): ModalField {
  const described = description === undefined ? {} : { description };
  return { kind: 'choices', name, label, required: false, choices: toChoices(choices, [value]), ...described };
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

/** The entry of a list that is edited; empty for a new one. */
export function editedEntry({ value, entry }: FormContext, path: SettingPath): JsonObject {
  return entry === null ? {} : (listOf(value(path))[entry] ?? {});
}

export function removeBox({ texts, entry }: FormContext): readonly ModalField[] {
  return entry === null ? [] : [{ kind: 'checkbox', name: 'remove', label: texts.setup.fields.remove }];
}

/** Ends the name of the field for a file, after that of the field for its text. */
export const fileSuffix = 'File';

/** The field for a file with the text of another field. */
export function fileField(name: 'settings' | 'codes', { setup }: Texts): ModalField {
  const field = `${name}${fileSuffix}` as const;
  return { kind: 'file', name: field, label: setup.fields[field], description: setup.hints.file, required: false };
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

/** The id of the selected channel or role; undefined for none. */
export function selectedId(input: CommandInput, name: string): string | undefined {
  return selectedValues(input, name)[0];
}

/** A list with the edited entry in its place, or with a new one at the end; without it if its box says so. */
export function withEntry(
  input: CommandInput,
  { value, entry: position }: FormContext,
  path: SettingPath,
  entry: JsonObject,
): FormValues {
  const list = listOf(value(path));
  if (position !== null && isChecked(input, 'remove')) return { [path]: list.toSpliced(position, 1) };
  const edited = withoutUndefined(entry);
  return { [path]: position === null || position >= list.length ? [...list, edited] : list.with(position, edited) };
}
