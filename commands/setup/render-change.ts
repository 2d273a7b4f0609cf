import {
  bold,
  escapeName,
  escapeText,
  lines,
  type Markup,
  markup,
  mention,
  subtext,
  timestamp,
} from '../../src/texts/markup.ts';
import type { Texts } from '../../src/texts/texts.ts';
import type { ChangedSetting, SettingIssue, SettingsChange } from '../setup-port.ts';
import { describeValue } from './describe-value.ts';
import { settingName } from './setting-name.ts';
import { maxNameLength } from './view.ts';

const maxChangesShown = 12;
const maxProblemLength = 300;

/** What a change did, each setting on a line: before → after. */
export function renderChange({ changes }: Pick<SettingsChange, 'changes'>, texts: Texts, several: boolean): Markup {
  const shown = changes.slice(0, maxChangesShown).map((each) => renderChanged(each, texts, several));
  return lines(...shown, changes.length > maxChangesShown ? markup`…` : null);
}

function renderChanged(change: ChangedSetting, texts: Texts, several: boolean): Markup {
  const { listing, path, isSecret, before, after } = change;
  const { setup } = texts;
  const own = settingName(path, texts);
  const name = several && listing !== null ? setup.saved.ofListing(escapeName(listing, maxNameLength), own) : own;
  if (isSecret) return setup.saved.secretChanged(name);
  const describe = (value: unknown) => (value === undefined ? setup.values.notSet : describeValue(path, value, texts));
  return setup.saved.change(name, describe(before), describe(after));
}

/** Who changed what, and when. */
export function renderHistoryEntry(change: SettingsChange, texts: Texts, several: boolean): Markup {
  const { setup } = texts;
  const { at, authorId, undoes, undoneBy } = change;
  const state = undoneBy === null ? (undoes === null ? null : setup.history.undoes) : setup.history.undone;
  const heading = setup.history.line(timestamp(at, 'f'), mention(authorId));
  return lines(bold(state === null ? heading : markup`${heading} · ${state}`), renderChange(change, texts, several));
}

/** What is wrong with a setting, and what to do. */
export interface Problem {
  readonly text: Markup;
  readonly hint: Markup;
}

/** Issues are English, whatever the language, except a missing key, which only the operator can restore. */
export function problemOf({ path, code, problem, hint }: SettingIssue, texts: Texts): Problem {
  const name = bold(settingName(path, texts));
  if (code === 'no_settings_key') {
    return { text: markup`${name}: ${texts.setup.problems.noKey}`, hint: texts.failure.needsOperator };
  }
  return {
    text: markup`${name} ${escapeText(problem, maxProblemLength)}`,
    hint: escapeText(hint, maxProblemLength),
  };
}

export function renderProblems(problems: readonly Problem[]): Markup {
  return lines(...problems.slice(0, maxChangesShown).map(({ text, hint }) => lines(text, subtext(hint))));
}
