import { listOf } from '@tallyhook/platform/json';
import { channelMention, escapeName, joined, type Markup, roleMention } from '@tallyhook/platform/texts/markup';
import type { ModalField } from '../../src/discord/commands/reply.ts';
import type { SettingPath } from '../../src/features/settings.ts';
import { joinForms } from './form.ts';
import { formsOf, resetButtons, type SetupSection } from './sections.ts';
import { button, type ListingView, settingName } from './view.ts';

/* A section of `/setup` as a page: all its fields at once, and its lists as tables. */

export type SettingsPage = ReturnType<typeof settingsPage>;
export type SettingsList = SettingsPage['lists'][number];

export function settingsPage(view: ListingView, section: SetupSection) {
  const context = view.formContext();
  const lists = new Set(
    section.forms.flatMap((form) => (formsOf(section, null).includes(form) ? [] : (form.paths[0] ?? []))),
  );
  return {
    intro: section.intro?.(view.texts) ?? null,
    /** The fields by form. */
    groups: formsOf(section, null).map((form) => ({ name: form.name, fields: form.fields(context) })),
    lists: [...lists].map((path) => settingsList(view, section, path)),
    /** Further things to do. */
    buttons: [...(section.buttons?.(view) ?? []), ...resetButtons(view, section)],
  };
}

function settingsList(view: ListingView, section: SetupSection, path: SettingPath) {
  const { text, texts } = view;
  const [first, ...others] = formsOf(section, path);
  if (first === undefined) throw new Error(`No form edits ${path}.`);
  const { fields } = joinForms([first, ...others]);
  const value = view.value(path);
  const entries = listOf(value);
  const count = first.list?.entries(value, texts).length ?? entries.length;
  const filled = Array.from({ length: count }, (_, entry) =>
    fields(view.formContext({ entry, variant: null })).filter(isShown),
  );
  const labels = [...new Map(filled.flat().map(({ name, label }) => [name, label]))];
  const rows = filled.map((shown) => labels.map(([name]) => cellOf(shown.find((each) => each.name === name))));
  const used = labels.map((_, column) => rows.some((cells) => cells[column] !== null));
  const options = { ...view.listingOptions, s: section.id, p: path };
  return {
    path,
    title: settingName(path, texts),
    /** Labels of the fields that at least one entry fills. */
    columns: labels.flatMap(([, label], column) => (used[column] ? [label] : [])),
    rows: rows.map((cells, entry) => ({
      cells: cells.filter((_, column) => used[column]).map((cell) => cell ?? escapeName('–')),
      /** Parts of values that no field shows. */
      note: first.note?.(entries[entry] ?? {}, texts) ?? null,
      /** Options of the buttons that open its form or remove it. */
      options: { ...options, e: entry },
    })),
    /** Opens the form of a new entry; null if the section has buttons of its own for that. */
    add: first.list === undefined ? null : button(text(`setup.choices.${first.list.add}`), 'edit', options),
  };
}

/** A removed, uploaded or secret value is not shown. */
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
