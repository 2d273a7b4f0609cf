import { bold, lines, type Markup, markup, mention, subtext, timestamp } from '@tallyhook/platform/texts/markup';
import { wouldHavePaid } from '../../src/core/settings/setting-spec.ts';
import type { Panel, PanelBlock, ReplyButton } from '../../src/discord/commands/reply.ts';
import type {
  ChangedSetting,
  RotateResult,
  SaveResult,
  SettingsChange,
  UndoResult,
} from '../../src/features/settings/community.ts';
import { type Problem, problemOf, refusing, renderProblems } from './problems.ts';
import {
  button,
  buttonBlock,
  describeValue,
  displayName,
  type Edit,
  editOptions,
  escapedName,
  listingOptions,
  refreshed,
  type SectionId,
  type SetupView,
  settingName,
  textBlock,
} from './view.ts';

/** Where a result leads. */
export interface Origin {
  /** The section to go back to; null for the overview. */
  readonly section: SectionId | null;
  /** The form that can be opened again. */
  readonly edit?: Edit;
}

/** The result of saving: before and after with Undo, or what to fix. */
export async function renderSaved(view: SetupView, result: SaveResult | RotateResult, origin: Origin): Promise<Panel> {
  const { text } = view.texts;
  switch (result.status) {
    case 'saved':
      return renderDone(view, result.change, text('setup.saved.title'), origin);
    case 'unchanged':
      return panel('plain', text('setup.saved.unchanged'), [], backButtons(view, origin));
    case 'invalid':
      return renderUnsaved(view, { problems: result.issues.map((issue) => problemOf(issue, view)) }, origin.edit);
    case 'conflict':
      return renderUnsaved(view, { intro: text('setup.problems.conflict'), since: result.since }, origin.edit);
  }
}

/** Waits until it is saved, and shows the result. */
export async function showSaved(
  view: SetupView,
  saving: Promise<SaveResult | RotateResult>,
  origin: Origin,
): Promise<Panel> {
  const result = await saving;
  return renderSaved(await refreshed(view), result, origin);
}

export async function renderUndone(view: SetupView, result: UndoResult): Promise<Panel> {
  const { text } = view.texts;
  const back = backButtons(view, { section: null });
  switch (result.status) {
    case 'undone':
      return renderDone(view, result.change, text('setup.saved.undoneTitle'), { section: null });
    case 'changed_since':
      return panel(
        'bad',
        text('setup.problems.title'),
        [textBlock(text('setup.problems.changedSince')), ...sinceBlocks(view, result.since)],
        back,
      );
    case 'already_undone':
      return panel('plain', text('setup.problems.alreadyUndone'), [], back);
    case 'not_found':
      return panel('bad', text('setup.problems.notFound'), [], back);
    case 'invalid': {
      const found = result.issues.map((issue) => problemOf(issue, view));
      return panel('bad', text('setup.problems.title'), [textBlock(renderProblems(found))], back);
    }
  }
}

async function renderDone(view: SetupView, change: SettingsChange, title: Markup, origin: Origin): Promise<Panel> {
  const text = renderChange(change, view);
  const before = change.changes.map(({ listing, path, before: value }) => ({ listing: listing ?? '', path, value }));
  const simulated = await view.services.simulateChange(view.guildId, { before });
  return panel(
    'good',
    title,
    [textBlock(lines(text, simulated && wouldHavePaid(simulated, view.texts)))],
    [
      button(view.texts.text('setup.buttons.undo'), 'undo', { ...listingOptions(view), id: change.id }),
      ...backButtons(view, origin),
    ],
  );
}

/** Nothing was saved. What was entered can be edited again. */
export function renderUnsaved(
  view: SetupView,
  cause:
    | { readonly problems: readonly Problem[] }
    | { readonly intro: Markup; readonly since: readonly SettingsChange[] },
  edit?: Edit,
): Panel {
  const { text } = view.texts;
  const blocks =
    'problems' in cause
      ? [textBlock(renderProblems(cause.problems))]
      : [textBlock(cause.intro), ...sinceBlocks(view, cause.since)];
  const overview = button(text('setup.buttons.overview'), 'overview', listingOptions(view));
  const found = 'problems' in cause ? cause.problems : [];
  if (edit === undefined) return refusing(panel('bad', text('setup.problems.title'), blocks, [overview]), found);
  const again = button(text('setup.buttons.editAgain'), 'again', editOptions(view, edit.form, edit), 'primary');
  const kept = [...blocks, textBlock(subtext(text('setup.problems.kept')))];
  return refusing(panel('bad', text('setup.problems.title'), kept, [again, overview]), found);
}

function sinceBlocks(view: SetupView, since: readonly SettingsChange[]): PanelBlock[] {
  return since.slice(-3).map((change) => textBlock(renderHistoryEntry(change, view)));
}

function backButtons(view: SetupView, { section }: Origin) {
  const { text } = view.texts;
  return [
    ...(section === null
      ? []
      : [button(text(`setup.sections.${section}`), 'section', { ...listingOptions(view), s: section })]),
    button(text('setup.buttons.overview'), 'overview', listingOptions(view)),
  ];
}

export function panel(
  tone: Panel['tone'],
  title: Markup,
  blocks: readonly PanelBlock[],
  buttons: readonly ReplyButton[],
): Panel {
  return {
    kind: 'panel',
    tone,
    title: markup`${title}`,
    blocks: buttons.length === 0 ? blocks : [...blocks, buttonBlock(...buttons)],
    response: 'update',
  };
}

const maxChangesShown = 12;
/** Of the history. */
const pageSize = 5;

/** What names the listings of a change. */
type ChangeView = Pick<SetupView, 'texts' | 'listingNames'> & {
  readonly community: Pick<SetupView['community'], 'listings'>;
};

/** What a change did, each setting on a line: before → after. */
export function renderChange({ changes }: Pick<SettingsChange, 'changes'>, view: ChangeView): Markup {
  const shown = changes.slice(0, maxChangesShown).map((each) => renderChanged(each, view));
  return lines(...shown, changes.length > maxChangesShown ? markup`…` : null);
}

function renderChanged(change: ChangedSetting, view: ChangeView): Markup {
  const { listing, path, isSecret, before, after } = change;
  const { texts, community } = view;
  const { text } = texts;
  const own = settingName(path, texts);
  const isNamed = community.listings.length > 1 && listing !== null;
  const name = isNamed
    ? text('setup.saved.ofListing', { listing: escapedName(displayName(view, listing)), name: own })
    : own;
  if (isSecret) return text('setup.saved.secretChanged', { name });
  const displayed = listing === null ? undefined : view.listingNames.get(listing);
  const describe = (value: unknown) =>
    value === undefined ? text('setup.values.notSet') : describeValue(path, value, texts, displayed);
  return text('setup.saved.change', { name, before: describe(before), after: describe(after) });
}

/** Who changed what, and when. */
function renderHistoryEntry(change: SettingsChange, view: ChangeView): Markup {
  const { text } = view.texts;
  const { at, authorId, undoes, undoneBy } = change;
  const state =
    undoneBy === null ? (undoes === null ? null : text('setup.history.undoes')) : text('setup.history.undone');
  const heading = text('setup.history.line', { time: timestamp(at, 'f'), author: mention(authorId) });
  return lines(bold(state === null ? heading : markup`${heading} · ${state}`), renderChange(change, view));
}

/** The last changes, each with Undo. */
export async function renderHistory(view: SetupView): Promise<Panel> {
  const { services, texts, guildId, input } = view;

  const before = Number(input.options['b'] ?? Number.NaN);
  const start = Number.isSafeInteger(before) && before > 0 ? before : null;
  const changes = await services.settings.changes(guildId, { before: start, limit: pageSize + 1 });
  const options = listingOptions(view);
  const blocks = changes.slice(0, pageSize).map((change): PanelBlock => {
    const text = renderHistoryEntry(change, view);
    if (change.undoneBy !== null) return { kind: 'text', text };
    return {
      kind: 'section',
      text,
      button: button(texts.text('setup.buttons.undo'), 'undo', { ...options, id: change.id }),
    };
  });
  const last = changes[pageSize - 1];
  return panel(
    'plain',
    texts.text('setup.history.title'),
    changes.length === 0 ? [{ kind: 'text', text: texts.text('setup.history.none') }] : blocks,
    [
      ...(start === null ? [] : [button(texts.text('setup.buttons.newest'), 'history', options)]),
      ...(changes.length > pageSize && last !== undefined
        ? [button(texts.text('setup.buttons.older'), 'history', { ...options, b: last.id })]
        : []),
      button(texts.text('setup.buttons.overview'), 'overview', options),
    ],
  );
}
