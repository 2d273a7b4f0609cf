import { memoizeByIdentity } from '@tallyhook/platform/memoize';
import { escapeName, escapeText, lines, type Markup, markup } from '@tallyhook/platform/texts/markup';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { CommandInput, ListedLookup } from '../src/discord/commands/command.ts';
import { listingName } from '../src/discord/commands/listing-page.ts';
import type { Reply, ReplyField } from '../src/discord/commands/reply.ts';
import type { VotePicture } from '../src/features/parts.ts';
import type { BotProfile, ServerProfile } from '../src/lookup/lookup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command, CommandContext } from './context.ts';
import { completeListing, listingOption, selectedListing, staleNote } from './listing.ts';

const maxTags = 20;
/** Longer texts are truncated (characters). */
const maxDescriptionLength = 1_000;
const maxCategoryLength = 100;
const maxTagLength = 40;
/** A reply that takes longer than a second would be deferred (ms). */
const maxPictureDelayMs = 700;

/** The profile of a listing, with its counts (document, sections 2.2 and 2.3) and a picture of its votes. */
export const stats = {
  name: 'stats',
  visibility: 'public',
  availability: 'everywhere',
  isServedBy: (listings) => listings.length > 0,
  describe: ({ texts, ...context }) => ({
    description: texts.text('stats.description'),
    options: [listingOption({ texts, ...context })],
  }),
  autocomplete: completeListing,
  async execute(input, context) {
    const { texts } = context;
    const listing = selectedListing(input, context);
    const [profile, picture] = await Promise.all([
      listing.lookup.profile({ complete: true }),
      pictureOf(listing, input, context),
    ]);
    const known = profile.stale
      ? renderProfile(profile.value, texts, staleNote(profile, texts))
      : renderFresh(profile.value, texts);
    if (profile.value.votes !== null)
      return picture === null ? known : withPicture(known, picture, texts.text('stats.chart'));
    const fields = [...(await recordedCounts(listing, context)), ...(known.fields ?? [])];
    const reply = { ...known, fields, footer: texts.text('stats.recorded') };
    return picture === null ? reply : withPicture(reply, picture, texts.text('stats.recorded'));
  },
} as const satisfies Command;

/** The cache returns the same object to all commands until it expires, so that it is rendered once. */
const renderFresh = memoizeByIdentity((profile: ServerProfile | BotProfile, texts: Texts) =>
  renderProfile(profile, texts, null),
);

/** Null without votes, without the permission to attach files, or if it takes too long. */
async function pictureOf(
  { name }: ListedLookup,
  { canAttachFiles }: CommandInput,
  { texts, clock, drawVotePicture }: CommandContext,
): Promise<VotePicture | null> {
  if (!canAttachFiles) return null;
  const drawing = drawVotePicture({ listings: [name], texts, scale: 1, now: clock.now() });
  return (await settleWithin(maxPictureDelayMs, clock, drawing)) ?? null;
}

/** The votes that have arrived here for a listing whose site tells none. */
async function recordedCounts(
  { name }: ListedLookup,
  { texts: { number, text }, recordedVotes }: CommandContext,
): Promise<ReplyField[]> {
  const { total, month } = await recordedVotes(name);
  return [
    { name: text('stats.votes'), value: number(total), inline: true },
    { name: text('stats.monthlyVotes'), value: number(month), inline: true },
  ];
}

/** @param note which votes are counted and drawn, or why the counts are not those of the picture */
function withPicture(reply: Reply, { file, caption }: VotePicture, note: string): Reply {
  return { ...reply, files: [file], image: file.name, footer: caption === null ? note : `${caption}\n${note}` };
}

function renderProfile(profile: ServerProfile | BotProfile, texts: Texts, note: Markup | null): Reply {
  return {
    tone: 'plain',
    title: listingName(profile, texts),
    text: lines(escapeText(profile.description ?? '', maxDescriptionLength), note),
    fields: [...countFields(profile, texts), ...textFields(profile, texts)],
    ...(profile.url === null
      ? {}
      : { url: profile.url, buttons: [{ kind: 'link', label: texts.text('stats.pageButton'), url: profile.url }] }),
  };
}

/** Omits counts that the service did not send. */
function countFields(profile: ServerProfile | BotProfile, { number, text }: Texts): ReplyField[] {
  const counts: readonly (readonly [Markup, number | null])[] =
    profile.kind === 'server'
      ? [
          [text('stats.votes'), profile.votes],
          [text('stats.monthlyVotes'), profile.monthlyVotes],
          [text('stats.members'), profile.members],
          [text('stats.online'), profile.online],
          [text('stats.channels'), profile.channelCount],
          [text('stats.roles'), profile.roleCount],
        ]
      : [
          [text('stats.votes'), profile.votes],
          [text('stats.monthlyVotes'), profile.monthlyVotes ?? null],
          [text('stats.servers'), profile.servers],
          [text('stats.shards'), profile.shards],
        ];
  const shown = counts.flatMap(([name, count]) => (count === null ? [] : [[name, number(count)] as const]));
  const { rating } = profile;
  const stars = rating && markup`⭐ ${number(rating.score)}`;
  const score = stars && (rating.count === null ? stars : markup`${stars} (${number(rating.count)})`);
  return [...shown, ...(score ? [[text('stats.rating'), score] as const] : [])].map(([name, value]) => ({
    ...{ name, value, inline: true },
  }));
}

function textFields(profile: ServerProfile | BotProfile, { list, text }: Texts): ReplyField[] {
  const category = profile.kind === 'server' ? profile.category : null;
  const tags = profile.tags.slice(0, maxTags).map((tag) => escapeName(tag, maxTagLength));
  return [
    { name: text('stats.category'), value: escapeName(category ?? '', maxCategoryLength), inline: true },
    { name: text('stats.tags'), value: list(tags) },
  ].filter(({ value }) => value !== '');
}
