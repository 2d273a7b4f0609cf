import { bold, joined, lines, type Markup, subtext } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import type { ValueSource } from '../../config/describe.ts';
import { isOff, type SettingField } from '../../src/core/settings/setting-spec.ts';
import type { Modal, Panel, PanelBlock, Reply, ReplyButton } from '../../src/discord/commands/reply.ts';
import { type SettingPath, settingAt } from '../../src/features/settings.ts';
import type { Texts } from '../../src/texts/texts.ts';
import type { Form } from './form.ts';
import { panel } from './results.ts';
import {
  button,
  describeValue,
  editOptions,
  effectiveValue,
  escapedName,
  type ListingView,
  listingOptions,
  type SectionId,
  type SetupView,
  selectBlock,
  settingName,
  textBlock,
} from './view.ts';

export type Answer = Promise<Reply | Panel | Modal> | Reply | Panel | Modal;

/** A subject of `/setup`: settings, and what changes them. */
export interface SetupSection {
  /** In the ids of components, and of its name in the texts. */
  readonly id: SectionId;
  /** The settings that represent it in the overview. */
  readonly summary: readonly SettingPath[];
  /** Opened by buttons and selects in this order, or by what the section adds. */
  readonly forms: readonly Form[];
  /** Its settings, in the order in which they are shown. By default those of its forms. */
  readonly paths?: readonly SettingPath[];
  /** Those that are shown even if they are off. */
  readonly alwaysShown?: readonly SettingPath[];
  /** Whether a setting has an effect, so that it is shown. By default all have. */
  isUsed?(view: SetupView, path: SettingPath): boolean;
  /** What is shown. By default a text with its settings. */
  blocks?(view: ListingView, settings: PanelBlock): readonly PanelBlock[];
  /** Beside those that open its forms. */
  buttons?(view: SetupView): readonly ReplyButton[];
  /** What the first use recommends to do. */
  step?(view: SetupView): SetupStep;
  /** Of components of its own, by their names in `/setup`. */
  readonly actions?: Readonly<Record<string, (view: ListingView) => Answer>>;
}

/** A step to a community that votes are rewarded in. */
export interface SetupStep {
  readonly name: string;
  readonly isDone: boolean;
  /** Does it; null for what is done always. */
  readonly button: ReplyButton | null;
}

export function pathsOf({ forms, paths }: SetupSection): readonly SettingPath[] {
  return paths ?? [...new Set(forms.flatMap((form) => form.paths))];
}

/** A subject with its settings, their sources, and what changes them. */
export function renderSection(view: ListingView, section: SetupSection): Panel {
  const { id } = section;
  const { text } = view.texts;
  const isStored = pathsOf(section).some((path) => effectiveValue(view, path).source === 'setup');
  const settings = textBlock(renderSettings(view, section));
  return panel(
    'plain',
    escapedName(text(`setup.sections.${id}`)),
    [...(section.blocks?.(view, settings) ?? [settings]), ...listSelects(view, section)],
    [
      ...editButtons(view, section),
      ...(section.buttons?.(view) ?? []),
      ...(isStored ? [button(text('setup.buttons.reset'), 'reset', { ...listingOptions(view), s: id })] : []),
      button(text('setup.buttons.overview'), 'overview', listingOptions(view)),
    ],
  );
}

/** A line for each that is on, or for all boxes of a field, and the names of the others. */
function renderSettings(view: SetupView, section: SetupSection): Markup {
  const used = pathsOf(section).filter((path) => section.isUsed?.(view, path) ?? true);
  const isOn = (path: SettingPath) =>
    section.alwaysShown?.includes(path) === true || !isOff(effectiveValue(view, path).value);
  const off = used.filter((path) => !isOn(path)).map((path) => settingName(path, view.texts));
  return lines(
    ...used.filter((path) => isOn(path) && boxOf(path) === undefined).map((path) => settingLine(view, path)),
    ...boxLines(view, used.filter(isOn)),
    off.length === 0 ? null : subtext(view.texts.text('setup.values.off', { names: view.texts.list(off) })),
  );
}

/** The field that has the setting as one of its boxes. */
function boxOf(path: SettingPath): SettingField | undefined {
  return settingAt(path).fields?.find(({ kind }) => kind === 'switch');
}

/** A line for each field of checkboxes with those that are ticked: "What votes show: Voter, Streak". */
function boxLines({ texts }: SetupView, ticked: readonly SettingPath[]): readonly Markup[] {
  const byField = Map.groupBy(ticked, (path) => boxOf(path)?.name);
  return [...byField].flatMap(([field, paths]) => {
    if (field === undefined) return [];
    const names = texts.list(paths.map((path) => settingName(path, texts)));
    return joined([bold(escapedName(texts.text(`setup.fields.${field}`))), names], ': ');
  });
}

function settingLine(view: SetupView, path: SettingPath): Markup {
  const { texts } = view;
  const { value, source } = effectiveValue(view, path);
  const name = bold(settingName(path, texts));
  if (path === 'premiumChannelId' && value !== null && value === effectiveValue(view, 'announceChannelId').value) {
    return joined([name, texts.text('setup.values.sameAsAnnouncements')], ': ');
  }
  const shown = joined([describeValue(path, value, texts), sourceText(source, texts)], ' · ');
  return joined([name, shown], ': ');
}

/** Where a value comes from; null for a default. */
export function sourceText(source: ValueSource, { text }: Texts): Markup | null {
  return source === 'default' || source === 'unset' ? null : text(`setup.sources.${source}`);
}

function editButtons(view: SetupView, { forms }: SetupSection): ReplyButton[] {
  const { text } = view.texts;
  return forms.flatMap((form) =>
    form.button === undefined
      ? []
      : button(text(`setup.buttons.${form.button}`), 'edit', editOptions(view, form), 'primary'),
  );
}

const maxEntries = 24;
export const newEntry = 'new';

/** Selects that open the form of an entry, or of a new one. */
function listSelects(view: SetupView, { forms }: SetupSection): PanelBlock[] {
  const { text } = view.texts;
  return forms.flatMap((form) => {
    const { list, paths } = form;
    if (list === undefined) return [];
    const entries = paths.flatMap((path) => list.entries(effectiveValue(view, path).value, view.texts));
    const shown = entries
      .slice(0, maxEntries)
      .map((label, index) => ({ label: withoutMarkup(label), value: String(index) }));
    return selectBlock({
      kind: 'choices',
      action: 'entry',
      placeholder: text(`setup.placeholders.${list.placeholder}`),
      options: editOptions(view, form),
      choices: [{ label: text(`setup.choices.${list.add}`), value: newEntry }, ...shown],
    });
  });
}

/** Selects show no markup. */
function withoutMarkup(text: string): string {
  return plainName(text.replaceAll('**', '').replace(/ \+ <@&\d+>| · <@&\d+>|<@&\d+>/g, ' + @'));
}
