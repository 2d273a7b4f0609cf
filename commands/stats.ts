import type { CachedValue } from '../src/lookup/lookup.ts';
import type { BotProfile, ServerProfile } from '../src/lookup/schemas.ts';
import { escapeName, escapeText, grouped, joined, lines, type Markup } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command, Reply, ReplyField } from './command.ts';
import { staleness } from './freshness.ts';
import { chosenListing, listingLabel, listingOption } from './listing.ts';

const mostTags = 20;

/** The profile of a listing, with its counts (document, sections 2.2 and 2.3). */
export const stats = {
  name: 'stats',
  visibility: 'public',
  hasPages: false,
  isServedBy: (listings) => listings.length > 0,
  describe: ({ listings, texts }) => ({
    description: texts.stats.description,
    options: [listingOption(listings, texts)],
  }),
  async execute(asked, { listings, texts }) {
    const { lookup } = chosenListing(asked, listings);
    return card(await lookup.profile(), texts);
  },
} as const satisfies Command;

function card(known: CachedValue<ServerProfile | BotProfile>, texts: Texts): Reply {
  const profile = known.value;
  return {
    tone: 'plain',
    title: listingLabel(profile, texts),
    text: lines(escapeText(profile.description ?? '', 1_000), staleness(known, texts)),
    fields: [...counts(profile, texts.stats), ...words(profile, texts.stats)],
    ...(profile.url === null
      ? {}
      : { url: profile.url, buttons: [{ kind: 'link', label: texts.stats.pageButton, url: profile.url }] }),
  };
}

/** Counts that the service left out are left out here too. */
function counts(profile: ServerProfile | BotProfile, labels: Texts['stats']): ReplyField[] {
  const all: readonly (readonly [Markup, number | null])[] =
    profile.kind === 'server'
      ? [
          [labels.votes, profile.votes],
          [labels.monthlyVotes, profile.monthlyVotes],
          [labels.members, profile.members],
          [labels.online, profile.online],
          [labels.channels, profile.channelCount],
          [labels.roles, profile.roleCount],
        ]
      : [
          [labels.votes, profile.votes],
          [labels.servers, profile.servers],
          [labels.shards, profile.shards],
        ];
  return all.flatMap(([name, count]) => (count === null ? [] : [{ name, value: grouped(count), inline: true }]));
}

function words(profile: ServerProfile | BotProfile, labels: Texts['stats']): ReplyField[] {
  const category = profile.kind === 'server' ? profile.category : null;
  const tags = profile.tags.slice(0, mostTags).map((tag) => escapeName(tag, 40));
  return [
    { name: labels.category, value: escapeName(category ?? '', 100), inline: true },
    { name: labels.tags, value: joined(tags, ', ') },
  ].filter(({ value }) => value !== '');
}
