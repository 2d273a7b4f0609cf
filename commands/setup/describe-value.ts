import { hour } from '../../src/platform/durations.ts';
import { isEqual, type JsonObject, listOf, numberOf, objectOf, textOf, textsOf } from '../../src/platform/json.ts';
import { isSnowflake } from '../../src/platform/snowflake.ts';
import { channelMention, escapeName, joined, type Markup, markup, roleMention } from '../../src/texts/markup.ts';
import type { Texts } from '../../src/texts/texts.ts';

/** Longer lists and texts are cut (entries, characters). */
const maxEntries = 8;
const maxTextLength = 150;

/** The value of a setting in a line, by its path. */
export function describeValue(path: string, value: unknown, texts: Texts): Markup {
  if (value === null || value === undefined || isEqual(value, []) || isEqual(value, {})) {
    return texts.setup.values.none;
  }
  const describe = Object.hasOwn(descriptions, path) ? descriptions[path] : undefined;
  return describe?.(value, texts) ?? plainValue(value, texts);
}

type Describe = (value: unknown, texts: Texts) => Markup;

const channel: Describe = (value) => channelMention(textOf(value));
const credits: Describe = (value, texts) => texts.parts.credits(numberOf(value));

const descriptions: Readonly<Record<string, Describe>> = {
  announceChannelId: channel,
  premiumChannelId: channel,
  ownerChannelId: channel,
  cooldownHours: (value, texts) => texts.duration(numberOf(value) * hour),
  shop: (value, texts) =>
    list(value, (item) => texts.setup.values.item(escapeName(textOf(item['name']), 40), numberOf(item['price']))),
  'rewards.vote': credits,
  'rewards.premium': credits,
  'rewards.whenDenied': credits,
  'rewards.allListings': credits,
  'rewards.streak': (value, texts) => {
    const streak = objectOf(value);
    const [every, paid, forgive] = ['every', 'credits', 'forgive'].map((name) => numberOf(streak[name]));
    return texts.setup.values.streak(paid ?? 0, every ?? 0, forgive ?? 0);
  },
  'rewards.party': (value, texts) => {
    const party = objectOf(value);
    const per = choiceText(texts, textOf(party['per']));
    return texts.setup.values.party(numberOf(party['credits']), numberOf(party['goal']), per);
  },
  'rewards.milestones': (value, texts) => list(value, (milestone) => describeMilestone(milestone, texts)),
  'rewards.multipliers': (value, texts) => list(value, (multiplier) => describeMultiplier(multiplier, texts)),
  'rewards.voterRole': (value, texts) => {
    const { role, for: duration } = objectOf(value);
    const mention = roleMention(textOf(role));
    return duration === undefined ? mention : texts.setup.values.roleFor(mention, escapeName(textOf(duration), 20));
  },
  'rewards.premiumRoles': (value, texts) =>
    list(
      Object.entries(objectOf(value)).map(([tier, role]) => ({ tier, role })),
      ({ tier, role }) => {
        const name = tier === '*' ? texts.setup.values.anyTier : escapeName(textOf(tier), 40);
        return texts.setup.values.tier(name, roleMention(textOf(role)));
      },
    ),
  'rewards.milestoneRoles': (value, texts) => choiceText(texts, textOf(value)),
  'announcements.mode': (value, texts) => choiceText(texts, textOf(value)),
  'announcements.lostStreaks': (value, texts) =>
    typeof value === 'number' ? texts.setup.values.lostStreaks(value) : plainValue(value, texts),
  'announcements.language': (value, texts) => escapeName(languageName(texts.locale, textOf(value))),
  link: (value, texts) => {
    const { kind, id } = objectOf(value);
    const kinds: Readonly<Record<string, string>> = texts.listing.kinds;
    const name = textOf(kind);
    const title = (Object.hasOwn(kinds, name) ? kinds[name] : undefined) ?? name;
    return escapeName([title, textOf(id)].filter(Boolean).join(' '));
  },
};

function plainValue(value: unknown, texts: Texts): Markup {
  if (typeof value === 'boolean') return value ? texts.setup.values.yes : texts.setup.values.no;
  if (typeof value === 'number') return texts.number(value);
  if (typeof value === 'string') return escapeName(value, maxTextLength);
  return escapeName(JSON.stringify(value) ?? '', maxTextLength);
}

/** A choice of a form, such as "digest"; the text itself if it is none. */
function choiceText(texts: Texts, value: string): Markup {
  const choices: Readonly<Record<string, string>> = texts.setup.choices;
  return escapeName((Object.hasOwn(choices, value) ? choices[value] : undefined) ?? value);
}

function list(value: unknown, describe: (entry: JsonObject) => Markup): Markup {
  const all = listOf(value);
  const shown = all.slice(0, maxEntries).map(describe);
  return joined(all.length > maxEntries ? [...shown, markup`…`] : shown, ', ');
}

export function describeMilestone(milestone: JsonObject, texts: Texts): Markup {
  const { votes, everyVotes, credits: paid, role } = milestone;
  const reward = joined(
    [numberOf(paid) > 0 ? texts.parts.credits(numberOf(paid)) : null, isSnowflake(role) ? roleMention(role) : null],
    ' + ',
  );
  return texts.setup.values.milestone(numberOf(votes ?? everyVotes), votes === undefined, reward);
}

export function describeMultiplier({ factor, days, role }: JsonObject, texts: Texts): Markup {
  const conditions = [
    joined(
      textsOf(days).map((day) => escapeName(weekdayName(texts.locale, day))),
      ', ',
    ),
    isSnowflake(role) ? roleMention(role) : null,
  ];
  const when = joined(conditions, ' · ');
  return texts.setup.values.multiplier(numberOf(factor), when.trim() === '' ? texts.setup.values.always : when);
}

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
/** Monday, 1 January 2024 (ms since the epoch). */
const someMonday = 1_704_067_200_000;
const dayMs = 86_400_000;

/** The name of a weekday in a language. */
export function weekdayName(locale: string, weekday: string): string {
  const index = weekdays.map(String).indexOf(weekday);
  if (index === -1) return weekday;
  return new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(someMonday + index * dayMs);
}

/** The name of a language in another one. */
export function languageName(locale: string, language: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(language) ?? language;
  } catch {
    return language;
  }
}
