import { listOf } from '@tallyhook/platform/json';
import { channelMention, escapeName, joined, type Markup, roleMention } from '@tallyhook/platform/texts/markup';
import type { ModalField, OptionValue, ReplyButton } from '../../src/discord/commands/reply.ts';
import type { SettingPath } from '../../src/features/settings.ts';
import type { Form, FormContext } from './form.ts';
import { joinForms } from './form.ts';
import { formsOf, resetButtons, type SetupSection } from './sections.ts';
import { button, effectiveValue, type ListingView, listingOptions, settingName } from './view.ts';

/* A section of `/setup` as a page: all its fields at once, and its lists as tables. */

export interface SettingsPage {
  readonly intro: Markup | null;
  /** The fields by form. */
  readonly groups: readonly { readonly name: Form['name']; readonly fields: readonly ModalField[] }[];
  readonly lists: readonly SettingsList[];
  /** Further things to do. */
  readonly buttons: readonly ReplyButton[];
}

export interface SettingsList {
  readonly path: SettingPath;
  readonly title: string;
  /** Labels of the fields that at least one entry fills. */
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly cells: readonly Markup[];
    /** What no field shows. */
    readonly note: Markup | null;
    /** That open its form or remove it. */
    readonly options: Options;
  }[];
  /** Opens the form of a new entry; null if the section has buttons of its own for that. */
  readonly add: ReplyButton | null;
}

type Options = Readonly<Record<string, OptionValue>>;

export function settingsPage(view: ListingView, section: SetupSection): SettingsPage {
  const context: FormContext = {
    texts: view.texts,
    value: (path) => effectiveValue(view, path).value,
    ...{ entry: null, variant: null },
  };
  const lists = new Set(
    section.forms.flatMap((form) => (formsOf(section, null).includes(form) ? [] : (form.paths[0] ?? []))),
  );
  return {
    intro: section.intro?.(view.texts) ?? null,
    groups: formsOf(section, null).map((form) => ({ name: form.name, fields: form.fields(context) })),
    lists: [...lists].map((path) => settingsList(view, section, path, context)),
    buttons: [...(section.buttons?.(view) ?? []), ...resetButtons(view, section)],
  };
}

function settingsList(view: ListingView, section: SetupSection, path: SettingPath, context: FormContext): SettingsList {
  const { texts } = view;
  const [first, ...others] = formsOf(section, path);
  if (first === undefined) throw new Error(`No form edits ${path}.`);
  const { fields } = joinForms([first, ...others]);
  const value = effectiveValue(view, path).value;
  const entries = listOf(value);
  const count = first.list?.entries(value, texts).length ?? entries.length;
  const filled = Array.from({ length: count }, (_, entry) => fields({ ...context, entry }).filter(isShown));
  const labels = [...new Map(filled.flat().map(({ name, label }) => [name, label]))];
  const rows = filled.map((shown) => labels.map(([name]) => cellOf(shown.find((each) => each.name === name))));
  const used = labels.map((_, column) => rows.some((cells) => cells[column] !== null));
  const options = { ...listingOptions(view), s: section.id, p: path };
  return {
    path,
    title: settingName(path, texts),
    columns: labels.flatMap(([, label], column) => (used[column] ? [label] : [])),
    rows: rows.map((cells, entry) => ({
      cells: cells.filter((_, column) => used[column]).map((cell) => cell ?? escapeName('–')),
      note: first.note?.(entries[entry] ?? {}, texts) ?? null,
      options: { ...options, e: entry },
    })),
    add: first.list === undefined ? null : button(texts.text(`setup.choices.${first.list.add}`), 'edit', options),
  };
}

/** What is removed, uploaded or secret is no value to show. */
function isShown({ kind, ...field }: ModalField): boolean {
  return kind !== 'checkbox' && kind !== 'file' && !('multiline' in field);
}

const maxCellLength = 80;

/** The value of a field in words; null without one. */
function cellOf(field: ModalField | undefined): Markup | null {
  switch (field?.kind) {
    case 'text':
      return field.value ? escapeName(field.value, maxCellLength) : null;
    case 'roles':
    case 'channels': {
      const mention = field.kind === 'roles' ? roleMention : channelMention;
      return field.selected?.length ? joined(field.selected.map(mention), ' ') : null;
    }
    case 'choices':
    case 'radios':
    case 'checkboxes': {
      const labels = field.choices.filter(({ selected }) => selected).map(({ label }) => escapeName(label));
      return labels.length > 0 ? joined(labels, ', ') : null;
    }
    default:
      return null;
  }
}
