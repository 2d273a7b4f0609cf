import { lines, type Markup } from '@tallyhook/platform/texts/markup';
import type { Panel } from '../../src/discord/commands/reply.ts';
import type { SettingPath } from '../../src/features/settings.ts';
import { findObjectProblems, type Problem, panel, problemOf, refusing, renderProblems } from './results.ts';
import { credits, setupSections, votePanelButton } from './sections.ts';
import {
  authorOf,
  button,
  editOptions,
  effectiveValue,
  type ListingView,
  linkButtons,
  listingOptions,
  refreshed,
  type SetupView,
  selectBlock,
  textBlock,
  toChanges,
} from './view.ts';

/** The second step: the channel for announcements. @param before what was done before, or what is wrong */
export function renderChannelStep(view: SetupView, before: Markup | null, isProblem = false): Panel {
  const { texts } = view;
  const { text } = texts;
  const present = effectiveValue(view, 'announceChannelId').value;
  return panel(
    isProblem ? 'bad' : 'good',
    text('setup.steps.channelTitle'),
    [
      textBlock(lines(before, text('setup.steps.channel'))),
      selectBlock({
        kind: 'channels',
        action: 'channel',
        placeholder: text('setup.placeholders.channel'),
        options: listingOptions(view),
        selected: typeof present === 'string' ? [present] : [],
      }),
    ],
    [
      button(
        present === null ? text('setup.buttons.later') : text('setup.buttons.next'),
        'step-rewards',
        listingOptions(view),
      ),
    ],
  );
}

/** Saves the channel, if the bot can post there. */
export async function chooseChannel(view: ListingView): Promise<Panel> {
  const [channelId] = view.input.values;
  if (channelId === undefined) return renderChannelStep(view, null);
  const failed = await saveStep(view, { announceChannelId: channelId });
  if (failed === null) return renderRewardsStep(view);
  return refusing(renderChannelStep(view, renderProblems(failed), true), failed);
}

/** The last step: presets, or numbers of one's own. */
export function renderRewardsStep(view: SetupView): Panel {
  const { text } = view.texts;
  const preset = (p: 'simple' | 'lively') =>
    button(text(`setup.buttons.${p}`), 'preset', { ...listingOptions(view), p }, 'primary');
  const own = editOptions(view, credits);
  return panel(
    'plain',
    text('setup.steps.rewardsTitle'),
    [textBlock(text('setup.steps.rewards'))],
    [
      preset('simple'),
      preset('lively'),
      button(text('setup.buttons.ownNumbers'), 'edit', own),
      button(text('setup.buttons.later'), 'overview', listingOptions(view)),
    ],
  );
}

type Values = Partial<Readonly<Record<SettingPath, unknown>>>;

const simple: Values = { 'rewards.vote': 10 };
const lively: Values = {
  'rewards.vote': 10,
  'rewards.multipliers': [{ factor: 2, days: ['saturday', 'sunday'] }],
  'rewards.streak': { every: 7, credits: 50, forgive: 1 },
};

export async function choosePreset(view: ListingView): Promise<Panel> {
  const { text } = view.texts;
  const failed = await saveStep(view, view.input.options['p'] === 'lively' ? lively : simple);
  if (failed !== null) {
    return panel(
      'bad',
      text('setup.steps.rewardsTitle'),
      [textBlock(renderProblems(failed))],
      [button(text('setup.buttons.overview'), 'overview')],
    );
  }
  return renderReady(await refreshed(view));
}

/** What to do next. */
async function renderReady(view: SetupView): Promise<Panel> {
  const { services, listing, texts } = view;
  const { text } = texts;
  const url = listing === null ? null : await services.checks.votePage(listing.name);
  return panel(
    'good',
    text('setup.steps.doneTitle'),
    [textBlock(text('setup.steps.done'))],
    [
      ...linkButtons(text('setup.buttons.voteNow'), url),
      ...setupSections.flatMap(({ step }) => step?.(view).button ?? []),
      votePanelButton(view),
      button(text('setup.buttons.overview'), 'overview', listingOptions(view)),
    ],
  );
}

/** Null if it was saved; otherwise what is wrong. */
async function saveStep(view: ListingView, values: Values): Promise<readonly Problem[] | null> {
  const { services, texts } = view;
  const entries = Object.entries(values) as [SettingPath, unknown][];
  const problems = await findObjectProblems(
    view,
    entries.map(([path, after]) => ({ path, before: effectiveValue(view, path).value, after })),
  );
  if (problems.length > 0) return problems;
  const changes = toChanges(view, entries);
  const result = await services.settings.save({ ...authorOf(view), basis: null, changes });
  if (result.status === 'invalid') return result.issues.map((issue) => problemOf(issue, view));
  return result.status === 'conflict' ? [{ text: texts.text('setup.problems.conflict'), hint: null }] : null;
}
