import type { Panel, PanelBlock, ReplyButton } from '../../src/discord/commands/reply.ts';
import type {
  ChangedSetting,
  RotateResult,
  SaveResult,
  SettingsChange,
  UndoResult,
} from '../../src/features/setup/community.ts';
import { bold, lines, type Markup, markup, mention, subtext, timestamp } from '../../src/texts/markup.ts';
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
  const { saved, problems } = view.texts.setup;
  switch (result.status) {
    case 'saved':
      return renderDone(view, result.change, saved.title, origin);
    case 'unchanged':
      return panel('plain', saved.unchanged, [], backButtons(view, origin));
    case 'invalid':
      return renderUnsaved(view, { problems: result.issues.map((issue) => problemOf(issue, view)) }, origin.edit);
    case 'conflict':
      return renderUnsaved(view, { intro: problems.conflict, since: result.since }, origin.edit);
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
  const { saved, problems } = view.texts.setup;
  const back = backButtons(view, { section: null });
  switch (result.status) {
    case 'undone':
      return renderDone(view, result.change, saved.undoneTitle, { section: null });
    case 'changed_since':
      return panel('bad', problems.title, [textBlock(problems.changedSince), ...sinceBlocks(view, result.since)], back);
    case 'already_undone':
      return panel('plain', problems.alreadyUndone, [], back);
    case 'not_found':
      return panel('bad', problems.notFound, [], back);
    case 'invalid': {
      const found = result.issues.map((issue) => problemOf(issue, view));
      return panel('bad', problems.title, [textBlock(renderProblems(found))], back);
    }
  }
}

async function renderDone(view: SetupView, change: SettingsChange, title: Markup, origin: Origin): Promise<Panel> {
  const { buttons, saved } = view.texts.setup;
  const text = renderChange(change, view);
  const before = change.changes.map(({ listing, path, before: value }) => ({ listing: listing ?? '', path, value }));
  const simulated = await view.services.simulateChange(view.guildId, { before });
  return panel(
    'good',
    title,
    [textBlock(lines(text, simulated && saved.wouldHavePaid(simulated), subtext(saved.soon)))],
    [button(buttons.undo, 'undo', { ...listingOptions(view), id: change.id }), ...backButtons(view, origin)],
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
  const { buttons, problems } = view.texts.setup;
  const blocks =
    'problems' in cause
      ? [textBlock(renderProblems(cause.problems))]
      : [textBlock(cause.intro), ...sinceBlocks(view, cause.since)];
  const overview = button(buttons.overview, 'overview', listingOptions(view));
  const found = 'problems' in cause ? cause.problems : [];
  if (edit === undefined) return refusing(panel('bad', problems.title, blocks, [overview]), found);
  const again = button(buttons.editAgain, 'again', editOptions(view, edit.form, edit), 'primary');
  const kept = [...blocks, textBlock(subtext(problems.kept))];
  return refusing(panel('bad', problems.title, kept, [again, overview]), found);
}

function sinceBlocks(view: SetupView, since: readonly SettingsChange[]): PanelBlock[] {
  return since.slice(-3).map((change) => textBlock(renderHistoryEntry(change, view)));
}

function backButtons(view: SetupView, { section }: Origin) {
  const { buttons, sections } = view.texts.setup;
  return [
    ...(section === null ? [] : [button(sections[section], 'section', { ...listingOptions(view), s: section })]),
    button(buttons.overview, 'overview', listingOptions(view)),
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
  const { setup } = texts;
  const own = settingName(path, texts);
  const isNamed = community.listings.length > 1 && listing !== null;
  const name = isNamed ? setup.saved.ofListing(escapedName(displayName(view, listing)), own) : own;
  if (isSecret) return setup.saved.secretChanged(name);
  const displayed = listing === null ? undefined : view.listingNames.get(listing);
  const describe = (value: unknown) =>
    value === undefined ? setup.values.notSet : describeValue(path, value, texts, displayed);
  return setup.saved.change(name, describe(before), describe(after));
}

/** Who changed what, and when. */
export function renderHistoryEntry(change: SettingsChange, view: ChangeView): Markup {
  const { setup } = view.texts;
  const { at, authorId, undoes, undoneBy } = change;
  const state = undoneBy === null ? (undoes === null ? null : setup.history.undoes) : setup.history.undone;
  const heading = setup.history.line(timestamp(at, 'f'), mention(authorId));
  return lines(bold(state === null ? heading : markup`${heading} · ${state}`), renderChange(change, view));
}

/** The last changes, each with Undo. */
export async function renderHistory(view: SetupView): Promise<Panel> {
  const { services, texts, guildId, input } = view;
  const { history, buttons } = texts.setup;
  const before = Number(input.options['b'] ?? Number.NaN);
  const start = Number.isSafeInteger(before) && before > 0 ? before : null;
  const changes = await services.settings.changes(guildId, { before: start, limit: pageSize + 1 });
  const options = listingOptions(view);
  const blocks = changes.slice(0, pageSize).map((change): PanelBlock => {
    const text = renderHistoryEntry(change, view);
    if (change.undoneBy !== null) return { kind: 'text', text };
    return { kind: 'section', text, button: button(buttons.undo, 'undo', { ...options, id: change.id }) };
  });
  const last = changes[pageSize - 1];
  return panel('plain', history.title, changes.length === 0 ? [{ kind: 'text', text: history.none }] : blocks, [
    ...(start === null ? [] : [button(buttons.newest, 'history', options)]),
    ...(changes.length > pageSize && last !== undefined
      ? [button(buttons.older, 'history', { ...options, b: last.id })]
      : []),
    button(buttons.overview, 'overview', options),
  ]);
}
