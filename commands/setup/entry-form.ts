import { type JsonObject, listOf, withoutUndefined } from '@tallyhook/platform/json';
import type { SettingField } from '../../src/core/settings/setting-spec.ts';
import { type CommandInput, isChecked } from '../../src/discord/commands/input.ts';
import type { ModalField } from '../../src/discord/commands/reply.ts';
import type { SettingPath } from '../../src/features/settings.ts';
import { type Form, type FormContext, type FormValues, modalFields, readParts, removeBox } from './form.ts';

interface EntryForm extends Pick<Form, 'name' | 'list' | 'secretFields'> {
  /** Of the list. */
  readonly path: SettingPath;
  /** Each edits a part of the entry. */
  readonly fields: readonly SettingField[] | ((context: FormContext) => readonly SettingField[]);
  /** The parts of a stored entry, if the fields edit others. */
  readonly toParts?: (entry: JsonObject) => JsonObject;
  /** Fields that `toEntry` or `others` reads. */
  readonly more?: (context: FormContext) => readonly ModalField[];
  /** The entry with the parts that were entered; null if there is none to save. */
  readonly toEntry?: (parts: JsonObject, context: FormContext, input: CommandInput) => JsonObject | null;
  /** Values of other settings that are saved with the entry. */
  readonly others?: (context: FormContext, input: CommandInput) => FormValues;
}

/** The entry of a list that is edited; empty for a new one. */
export function editedEntry({ value, entry }: FormContext, path: SettingPath): JsonObject {
  return entry === null ? {} : (listOf(value(path))[entry] ?? {});
}

/** A form for an entry of a list, or for a new one at its end. What it does not show of the entry stays as it is. */
export function entryForm({ path, fields, toParts, more, toEntry, others, ...form }: EntryForm): Form {
  const fieldsIn = (context: FormContext) => (typeof fields === 'function' ? fields(context) : fields);
  function partsOf(context: FormContext): JsonObject {
    const edited = editedEntry(context, path);
    return toParts === undefined ? edited : toParts(edited);
  }
  return {
    ...form,
    paths: [path],
    fields: (context) => [
      ...modalFields(fieldsIn(context), context.entry === null ? null : partsOf(context), context.texts),
      ...(more?.(context) ?? []),
      ...(form.list === undefined ? [] : removeBox(context)),
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
