import { durationPattern, parseDuration } from '@tallyhook/platform/duration-text';
import { isEqual, type JsonObject, listOf, numberOf, textOf } from '@tallyhook/platform/json';
import { channelMention, escapeName, type Markup, markup } from '@tallyhook/platform/texts/markup';
import type { TextIn, Texts } from '../../texts/texts.ts';
import type { SettingChoices, SettingSpec } from './setting-spec.ts';

/** Longer lists and texts are cut (entries, characters). */
const maxEntries = 8;
const maxTextLength = 150;

/** Null, false, 0 or nothing: not switched on. */
export function isOff(value: unknown): boolean {
  return !value || isEqual(value, []) || isEqual(value, {});
}

/** The value of a setting in a line. It may be of an imported text, or stored by another version. */
export function showValue(
  spec: Pick<SettingSpec, 'show' | 'showEntry'> | undefined,
  value: unknown,
  texts: Texts,
): Markup {
  if (value === null || value === undefined || isEqual(value, []) || isEqual(value, {})) {
    return texts.text('setup.values.none');
  }
  if (spec?.showEntry) return showList(value, texts, spec.showEntry);
  return (spec?.show ?? showPlain)(value, texts);
}

/** Entries in a line. */
export function showList(value: unknown, texts: Texts, showEntry: (entry: JsonObject, texts: Texts) => Markup): Markup {
  const all = listOf(value);
  const shown = all.slice(0, maxEntries).map((entry) => showEntry(entry, texts));
  return texts.list(all.length > maxEntries ? [...shown, markup`…`] : shown);
}

/** A number, a text, or yes and no. */
export function showPlain(value: unknown, texts: Texts): Markup {
  if (typeof value === 'boolean') return value ? texts.text('setup.values.yes') : texts.text('setup.values.no');
  if (typeof value === 'number') return texts.number(value);
  if (typeof value === 'string') return escapeName(value, maxTextLength);
  return escapeName(JSON.stringify(value) ?? '', maxTextLength);
}

export function showChannel(value: unknown): Markup {
  return channelMention(textOf(value));
}

export function showCredits(value: unknown, texts: Texts): Markup {
  return texts.text('parts.credits', { count: numberOf(value) });
}

/** A duration of the file, such as `12h`; the text itself if it is none. */
export function showDuration(value: unknown, texts: Texts): Markup {
  const text = textOf(value);
  return durationPattern.test(text) ? texts.duration(parseDuration(text)) : escapeName(text, maxTextLength);
}

/** A choice of a form, such as "digest"; the text itself if it is none. */
export function showChoice(value: unknown, texts: Texts): Markup {
  const name = textOf(value);
  return escapeName(texts.has('setup.choices', name) ? texts.text(`setup.choices.${name}`) : name);
}

/** Choices with their names in the texts. */
export function choicesOf(...values: readonly TextIn<'setup.choices'>[]): SettingChoices {
  return ({ text }) => values.map((value) => [value, text(`setup.choices.${value}`)]);
}
