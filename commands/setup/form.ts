import { parseDuration, toDurationText } from '@tallyhook/platform/duration-text';
import { second } from '@tallyhook/platform/durations';
import {
  fieldText,
  type JsonObject,
  listOf,
  objectOf,
  textOf,
  textsOf,
  withoutUndefined,
} from '@tallyhook/platform/json';
import type { Markup } from '@tallyhook/platform/texts/markup';
import {
  hintText,
  type SettingChoices,
  type SettingField,
  type SettingSpec,
} from '../../src/core/settings/setting-spec.ts';
import { durationChoices, timeZoneChoices, zoneNamed } from '../../src/core/settings/value-schemas.ts';
import { type CommandInput, isChecked, selectedValues, textField } from '../../src/discord/commands/command.ts';
import type { ModalField, SelectChoice } from '../../src/discord/commands/reply.ts';
import { type SettingPath, settingAt, settings } from '../../src/features/settings.ts';
import type { TextIn, Texts } from '../../src/texts/texts.ts';

export interface FormContext {
  readonly texts: Texts;
  readonly value: (path: SettingPath) => unknown;
  /** The position of the entry of a list that is edited; null for a new one, or without a list. */
  readonly entry: number | null;
  /** Which kind of entry a new one is, if there are several. */
  readonly variant: string | null;
}

/** New values by path; undefined takes back what was stored. Paths that are left out stay as they are. */
export type FormValues = Partial<Readonly<Record<SettingPath, unknown>>>;

export interface Form {
  /** In the ids of components, and of its title in the texts. */
  readonly name: TextIn<'setup.forms'>;
  readonly paths: readonly SettingPath[];
  readonly button?: TextIn<'setup.buttons'>;
  /** Select in its section that opens it for an entry of a list, or for a new one. */
  readonly list?: {
    readonly placeholder: TextIn<'setup.placeholders'>;
    readonly add: TextIn<'setup.choices'>;
    entries(value: unknown, texts: Texts): readonly string[];
  };
  /** The parts of an entry that no field of the form shows, in words; null without any. */
  readonly note?: (entry: JsonObject, texts: Texts) => Markup | null;
  fields(context: FormContext): readonly ModalField[];
  /** Numbers that are not whole, and other invalid texts, are passed on as they are, and found when they are saved. */
  read(input: CommandInput, context: FormContext): FormValues;
  /** Fields that are never stored nor shown again. */
  readonly secretFields?: readonly string[];
}

/** The form with the fields of these settings, and then of those that say themselves that they are in it. */
export function settingsForm(
  name: Form['name'],
  button: TextIn<'setup.buttons'>,
  named: readonly SettingPath[] = [],
): Form {
  const paths = [...named, ...placedIn(name)];
  return {
    name,
    paths,
    button,
    fields: ({ texts, value }) =>
      toModalFields(
        paths.flatMap((path) => shownFields(fieldsOf(path), value(path))),
        texts,
      ),
    read: (input, { value }) =>
      Object.fromEntries(paths.map((path) => [path, readSetting(fieldsOf(path), input, value(path))])),
  };
}

/**
 * Several forms as one, for pages, which have room for more than Discord's five fields: those of settings, or all that edit
 * the entries of one list. The fields of all have different names.
 */
export function joinForms([first, ...others]: readonly [Form, ...Form[]]): Form {
  const forms = [first, ...others];
  const [path] = first.paths;
  // Forms of a list remove its entries themselves if `/setup` opens them by a select.
  const removes = ({ entry }: FormContext) => isEntryForm(first) && first.list === undefined && entry !== null;
  return {
    name: first.name,
    paths: [...new Set(forms.flatMap(({ paths }) => paths))],
    secretFields: forms.flatMap(({ secretFields = [] }) => secretFields),
    fields: (context) => [
      ...forms.flatMap((form) => form.fields(context)),
      ...(removes(context) ? removeBox(context) : []),
    ],
    read(input, context) {
      const list = path === undefined ? [] : listOf(context.value(path));
      if (path !== undefined && removes(context) && isChecked(input, 'remove')) {
        return { [path]: list.toSpliced(context.entry ?? 0, 1) };
      }
      let values: FormValues = first.read(input, context);
      for (const form of others) {
        const value = (of: SettingPath) => (of in values ? values[of] : context.value(of));
        // What is new was added at the end by the first form.
        const entry = isEntryForm(form) ? (context.entry ?? list.length) : null;
        values = { ...values, ...form.read(input, { ...context, value, entry }) };
      }
      return values;
    },
  };
}

/** True if it edits one entry of a list, and not settings as a whole. */
export function isEntryForm({ button }: Form): boolean {
  return button === undefined;
}

function placedIn(form: Form['name']): SettingPath[] {
  const specs: readonly SettingSpec[] = settings;
  return specs.filter((spec) => spec.form === form).map(({ path }) => path as SettingPath);
}

function fieldsOf(path: SettingPath): readonly SettingField[] {
  return settingAt(path).fields ?? [];
}

interface ShownField {
  readonly field: SettingField;
  readonly value: unknown;
}

function shownFields(fields: readonly SettingField[], value: unknown): ShownField[] {
  return fields.map((field) => {
    const shown = field.part === undefined ? value : objectOf(value)[field.part];
    return { field, value: shown ?? field.preset };
  });
}

export function modalFields(fields: readonly SettingField[], value: unknown, texts: Texts): ModalField[] {
  return toModalFields(shownFields(fields, value), texts);
}

function toModalFields(shown: readonly ShownField[], texts: Texts): ModalField[] {
  return shown.flatMap((each, index) => {
    const sameName = shown.filter(({ field }) => field.name === each.field.name);
    return shown.indexOf(sameName[0] ?? each) === index ? modalField(each, sameName, texts) : [];
  });
}

/** The field for a zone that the select does not have; it has precedence. */
const otherTimeZone = { name: 'otherTimeZone', kind: 'text', hint: 'otherTimeZone' } as const satisfies SettingField;

function unitsToText(value: number, unitMs = second): string {
  return toDurationText(Math.round((value * unitMs) / second) * second);
}

/** @param boxes the switches of the same name */
function modalField(
  { field, value }: ShownField,
  boxes: readonly ShownField[],
  texts: Texts,
): ModalField | readonly ModalField[] {
  const { text } = texts;
  const { name, hint, maxLength, isRequired = false } = field;
  const label = text(`setup.fields.${name}`);
  const common = { name, label, required: isRequired, ...(hint && { description: hintText(hint, texts) }) };
  const select = (offered: ReturnType<SettingChoices>, present: unknown): ModalField => {
    return { kind: 'choices', ...common, choices: toChoices(offered, [present]) };
  };
  switch (field.kind) {
    case 'text':
      return {
        kind: 'text',
        ...common,
        ...textExtras(field, texts),
        value: fieldText(value),
        maxLength: maxLength ?? 100,
      };
    case 'number':
      return { kind: 'text', ...common, isNumber: true, value: fieldText(value), maxLength: maxLength ?? 100 };
    case 'longText':
      return {
        ...{ kind: 'text', ...common, ...textExtras(field, texts), multiline: true, value: linesOf(value) },
        ...(maxLength && { maxLength }),
      };
    case 'channels':
    case 'roles':
      if (field.isList)
        return { kind: field.kind, ...common, selected: textsOf(value), minValues: 0, maxValues: maxSelected };
      return { kind: field.kind, ...common, selected: typeof value === 'string' ? [value] : [] };
    case 'radios':
      return { kind: 'radios', name, label, choices: toChoices(field.choices(texts), [value]) };
    case 'checkboxes':
      return { kind: 'checkboxes', ...common, choices: toChoices(field.choices(texts), textsOf(value)) };
    case 'select':
      return select(field.choices(texts), value);
    case 'duration': {
      const present = typeof value === 'number' ? unitsToText(value, field.unitMs) : textOf(value);
      return select(durationChoices(field.choices, present, texts), present);
    }
    case 'timeZone':
      return [select(timeZoneChoices(textOf(value), texts), value), ...modalFields([otherTimeZone], '', texts)];
    case 'switch': {
      const shown = boxes.flatMap(({ field: box, value: isOn }) =>
        box.kind === 'switch'
          ? { value: box.choice, label: text(`setup.choices.${box.choice}`), selected: isOn === true }
          : [],
      );
      return { kind: 'checkboxes', name, label, required: false, choices: shown };
    }
  }
}

/** Discord: the most characters of a placeholder. */
const maxPlaceholderLength = 100;

function textExtras({ usual, inserts }: Extract<SettingField, { kind: 'text' | 'longText' }>, texts: Texts) {
  return {
    ...(usual && { placeholder: usual(texts).slice(0, maxPlaceholderLength) }),
    ...(inserts && { inserts }),
  };
}

/** The entered value of a setting. What a form does not show of an object stays as it is. */
function readSetting(fields: readonly SettingField[], input: CommandInput, current: unknown): unknown {
  const [only] = fields;
  if (only === undefined || only.part === undefined) return only && readField(only, input);
  const parts = readParts(fields, input, objectOf(current));
  return fields.some(({ isRequiredPart, part = '' }) => isRequiredPart && parts[part] === undefined) ? null : parts;
}

/** An object with the parts that were entered, and without those that are empty. */
export function readParts(fields: readonly SettingField[], input: CommandInput, current: JsonObject): JsonObject {
  const entered = fields.map((field) => [field.part ?? '', readField(field, input) ?? undefined] as const);
  return withoutUndefined({ ...current, ...Object.fromEntries(entered) });
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
      return optionalText(input, name);
    case 'longText': {
      const text = optionalText(input, name);
      return field.isList ? text?.split(/[\s,;]+/).filter((part) => part !== '') : text;
    }
    case 'channels':
    case 'roles':
      if (field.isList) return emptyToNull(selectedValues(input, name));
      return selectedId(input, name) ?? null;
    case 'select':
      return selectedId(input, name) ?? null;
    case 'duration': {
      const text = selectedId(input, name);
      return text === undefined || field.unitMs === undefined ? text : parseDuration(text) / field.unitMs;
    }
    case 'timeZone':
      return zoneNamed(optionalText(input, otherTimeZone.name)) ?? selectedId(input, name);
    case 'radios':
      return input.fields[name];
    case 'checkboxes':
      return selectedValues(input, name);
    case 'switch':
      return selectedValues(input, name).includes(field.choice);
  }
}

/** Discord's limit for a select. */
const maxSelected = 25;

function linesOf(value: unknown): string {
  return Array.isArray(value) ? textsOf(value).join('\n') : fieldText(value);
}

function emptyToNull(values: readonly string[]): readonly string[] | null {
  return values.length === 0 ? null : values;
}

function toChoices(choices: ReturnType<SettingChoices>, selected: readonly unknown[]): SelectChoice[] {
  return choices.map(([value, label]) => ({ value, label, selected: selected.includes(value) }));
}

export function removeBox({ texts, entry }: FormContext): readonly ModalField[] {
  return entry === null ? [] : [{ kind: 'checkbox', name: 'remove', label: texts.text('setup.fields.remove') }];
}

/** Ends the name of the field for a file, after that of the field for its text. */
export const fileSuffix = 'File';

/** A field for the upload of a file, with what can be uploaded as its hint. */
export function fileField(
  name: 'settingsFile' | 'codesFile' | 'pictureFile' | 'bannerFile',
  { text }: Texts,
  hint: 'file' | 'picture' = 'file',
): ModalField {
  const description = text(`setup.hints.${hint}`);
  return { kind: 'file', name, label: text(`setup.fields.${name}`), description, required: false };
}

type TextField = ModalField & { readonly kind: 'text' };

/** A field for a text, with the label of its name, and with the hint of that name or of another one. */
export function textInput(
  texts: Texts,
  name: TextIn<'setup.fields'>,
  { hint, ...more }: Partial<TextField> & { readonly hint?: TextIn<'setup.hints'> } = {},
): TextField {
  const description = hint === undefined ? {} : { description: hintText(hint, texts) };
  return { kind: 'text', name, label: texts.text(`setup.fields.${name}`), ...description, ...more };
}

export function withDraft(fields: readonly ModalField[], draft: CommandInput['fields']): readonly ModalField[] {
  return fields.map((field) => {
    const entered = draft[field.name];
    if (entered === undefined) return field;
    switch (field.kind) {
      case 'text':
        return typeof entered === 'string' ? { ...field, value: entered } : field;
      case 'file':
        return field;
      case 'checkbox':
        return { ...field, checked: entered === true };
      case 'radios':
      case 'checkboxes':
      case 'choices': {
        const values = typeof entered === 'object' ? entered : [entered];
        return { ...field, choices: field.choices.map((each) => ({ ...each, selected: values.includes(each.value) })) };
      }
      default:
        return typeof entered === 'object' ? { ...field, selected: entered } : field;
    }
  });
}

/** A number; the text itself if it is none, and undefined if it is empty. */
function numberField(input: CommandInput, name: string): unknown {
  const text = textField(input, name);
  if (text === '') return undefined;
  return /^\d{1,12}(?:[.,]\d{1,6})?$/.test(text) ? Number(text.replace(',', '.')) : text;
}

function optionalText(input: CommandInput, name: string): string | undefined {
  return textField(input, name) || undefined;
}

function selectedId(input: CommandInput, name: string): string | undefined {
  return selectedValues(input, name)[0];
}

interface EntryForm extends Pick<Form, 'name' | 'note' | 'secretFields'> {
  /** The list of the form ({@link Form.list}); the setting says how its entries are shown. */
  readonly list?: Omit<NonNullable<Form['list']>, 'entries'>;
  readonly path: SettingPath;
  /** Each edits a part of the entry. */
  readonly fields: readonly SettingField[] | ((context: FormContext) => readonly SettingField[]);
  /** The parts of a stored entry, if the fields edit others. */
  readonly toParts?: (entry: JsonObject, context: FormContext) => JsonObject;
  /** Fields that `toEntry` or `others` reads. */
  readonly more?: (context: FormContext) => readonly ModalField[];
  /** The entry with the parts that were entered; null if there is none to save. */
  readonly toEntry?: (parts: JsonObject, context: FormContext, input: CommandInput) => JsonObject | null;
  /** Values of other settings that are saved with the entry. */
  readonly others?: (context: FormContext, input: CommandInput) => FormValues;
}

export function editedEntry({ value, entry }: FormContext, path: SettingPath): JsonObject {
  return entry === null ? {} : (listOf(value(path))[entry] ?? {});
}

/** A form for an entry of a list, or for a new one at its end. What it does not show of the entry stays as it is. */
export function entryForm({ path, list: select, fields, toParts, more, toEntry, others, ...form }: EntryForm): Form {
  const entries = (value: unknown, texts: Texts) =>
    listOf(value).map((entry) => settingAt(path).showEntry?.(entry, texts) ?? '');
  const fieldsIn = (context: FormContext) => (typeof fields === 'function' ? fields(context) : fields);
  function partsOf(context: FormContext): JsonObject {
    const edited = editedEntry(context, path);
    return toParts === undefined ? edited : toParts(edited, context);
  }
  return {
    ...form,
    paths: [path],
    ...(select && { list: { ...select, entries } }),
    fields: (context) => [
      ...modalFields(fieldsIn(context), context.entry === null ? null : partsOf(context), context.texts),
      ...(more?.(context) ?? []),
      ...(select === undefined ? [] : removeBox(context)),
    ],
    read(input, context) {
      const list = listOf(context.value(path));
      const { entry: position } = context;
      if (position !== null && isChecked(input, 'remove')) return { [path]: list.toSpliced(position, 1) };
      const parts = readParts(fieldsIn(context), input, partsOf(context));
      const entry = toEntry === undefined ? parts : toEntry(parts, context, input);
      if (entry === null) return {};
      const entries = list.toSpliced(position ?? list.length, 1, withoutUndefined(entry));
      return { [path]: entries, ...others?.(context, input) };
    },
  };
}
