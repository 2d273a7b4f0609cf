import type { Panel, PanelBlock, ReplyButton } from '../../src/discord/commands/reply.ts';
import type { RotateResult, SaveResult, SettingsChange, UndoResult } from '../../src/features/setup/community.ts';
import { lines, type Markup, markup, subtext } from '../../src/texts/markup.ts';
import type { SectionId } from './form.ts';
import { type Edit, editOptions } from './forms.ts';
import { type Problem, problemOf, renderChange, renderHistoryEntry, renderProblems } from './render-change.ts';
import { button, buttonBlock, listingOptions, type SetupView, textBlock } from './view.ts';

/** Where a result leads. */
export interface Origin {
  /** The section to go back to; null for the overview. */
  readonly section: SectionId | null;
  /** The form that can be opened again. */
  readonly edit?: Edit;
}

/** The result of saving: before and after with Undo, or what to fix. */
export function renderSaved(view: SetupView, result: SaveResult | RotateResult, origin: Origin): Panel {
  const { texts } = view;
  const { saved, problems } = texts.setup;
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

export function renderUndone(view: SetupView, result: UndoResult): Panel {
  const { texts } = view;
  const { saved, problems } = texts.setup;
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

function renderDone(view: SetupView, change: SettingsChange, title: Markup, origin: Origin): Panel {
  const { buttons, saved } = view.texts.setup;
  const text = renderChange(change, view);
  return panel(
    'good',
    title,
    [textBlock(lines(text, subtext(saved.soon)))],
    [button(buttons.undo, 'undo', { ...listingOptions(view), id: change.id }), ...backButtons(view, origin)],
  );
}

/** Nothing was saved. What was entered can be edited again. */
export function renderUnsaved(
  view: SetupView,
  cause:
    | { readonly problems: readonly Problem[] }
    | { readonly intro: Markup; readonly since: readonly SettingsChange[] },
  edit: Edit | undefined,
): Panel {
  const { texts } = view;
  const { buttons, problems } = texts.setup;
  const blocks =
    'problems' in cause
      ? [textBlock(renderProblems(cause.problems))]
      : [textBlock(cause.intro), ...sinceBlocks(view, cause.since)];
  const overview = button(buttons.overview, 'overview', listingOptions(view));
  if (edit === undefined) return panel('bad', problems.title, blocks, [overview]);
  return panel(
    'bad',
    problems.title,
    [...blocks, textBlock(subtext(problems.kept))],
    [button(buttons.editAgain, 'again', editOptions(view, edit), 'primary'), overview],
  );
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
