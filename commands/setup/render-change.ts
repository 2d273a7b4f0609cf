import type { ChangedSetting, SettingIssue, SettingsChange } from '../../src/features/setup/community.ts';
import { bold, escapeText, lines, type Markup, markup, mention, subtext, timestamp } from '../../src/texts/markup.ts';
import { describeValue, settingName } from './values.ts';
import { displayName, escapedName, type SetupView } from './view.ts';

const maxChangesShown = 12;
const maxProblemLength = 300;

/** What names the listings of a change. */
type ChangeView = Pick<SetupView, 'texts' | 'community' | 'listingNames'>;

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
  const describe = (value: unknown) => (value === undefined ? setup.values.notSet : describeValue(path, value, texts));
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

/** What is wrong with a setting, and what to do. */
export interface Problem {
  readonly text: Markup;
  /** Null if the text says what to do. */
  readonly hint: Markup | null;
}

/**
 * What is wrong with a value is English, whatever the language. The reason for a missing key is the operator's, who alone
 * can restore it.
 */
export function problemOf(issue: SettingIssue, view: Pick<SetupView, 'texts' | 'listingNames'>): Problem {
  const { texts } = view;
  const ofLink = textOfLink(issue, view);
  if (ofLink !== null) return { text: ofLink, hint: null };
  const { path, code, problem, hint } = issue;
  const name = bold(settingName(path, texts));
  if (code === 'no_settings_key') {
    return { text: markup`${name}: ${texts.setup.problems.noKey}`, hint: texts.failure.needsOperator };
  }
  return {
    text: markup`${name} ${escapeText(problem, maxProblemLength)}`,
    hint: hint === null ? null : escapeText(hint, maxProblemLength),
  };
}

/** Why a listing cannot be linked, or cannot have a key. */
function textOfLink({ code, listing }: SettingIssue, view: Pick<SetupView, 'texts' | 'listingNames'>): Markup | null {
  const { setup } = view.texts;
  const name = escapedName(displayName(view, listing ?? ''));
  switch (code) {
    case 'already_linked':
      return setup.link.alreadyLinked(name);
    case 'operators_listing':
      return setup.link.linkedByOperator(name);
    case 'not_compared':
      return setup.link.notCompared(name);
    case 'other_listing':
      return setup.link.otherListing;
    default:
      return null;
  }
}

export function renderProblems(problems: readonly Problem[]): Markup {
  return lines(...problems.slice(0, maxChangesShown).map(({ text, hint }) => lines(text, hint && subtext(hint))));
}
