import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { mention } from '@tallyhook/platform/texts/markup';
import { Routes } from 'discord-api-types/v10';
import { readCard } from '../../core/announcements/announcement.ts';
import { type AnnouncementStyle, showsVoter, showsVotes } from '../../core/announcements/announcement-style.ts';
import type { CommunityId, LedgerReads } from '../../core/ledger/account.ts';
import { type Announcement, announcementKind, type Effect } from '../../core/outbox/effect-kind.ts';
import { handleTogether } from '../../core/outbox/perform.ts';
import { parseQueue } from '../../core/outbox/queue.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { classifySendError, describeDiscordError, tokenHint } from '../../discord/discord-errors.ts';
import { type FoundBlock, hasFooter, type MessageRequest, postRequest, searchChannel } from '../../discord/posting.ts';
import { embedLimits } from '../../discord/rendering/message.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import { renderStyledAnnouncement } from './styled-announcement.ts';

export function create(
  context: PartsContext & { readonly store: { readonly ledgerIn: (communityId: CommunityId) => LedgerReads } },
) {
  const { store, directory } = context;
  async function votesOf(userId: string, listing: string): Promise<number> {
    const accounts = directory.find(listing)?.community.id;
    // Without its listing, it is not known in which community the member has voted.
    return accounts === undefined ? 0 : (await store.ledgerIn(accounts).account(userId)).votes;
  }
  const announcer = new Announcer(context, votesOf);
  return {
    effects: [handleTogether(announcementKind, (effects) => announcer.announce(effects))],
  } satisfies FeatureParts;
}

/**
 * The footer of an announcement: nothing, since its time and the mention of the voter are enough to find it again. One that
 * mentions nobody has the number of its delivery. The announcer searches the channel by them, because Discord forgets a
 * nonce after a few minutes and does not return it with the channel's messages.
 * @param namesVoter whether announcements of a listing mention the voter; the owner's own text may not
 */
function footerOf(
  { deliveryId, content: { userId, listing, test } }: Pick<Effect<Announcement>, 'deliveryId' | 'content'>,
  namesVoter: (listing: string) => boolean,
): string {
  return test || (userId !== null && namesVoter(listing)) ? '' : tagOf(deliveryId);
}

/** A vote that was not delivered has a dash: its time tells it from others. */
function tagOf(deliveryId: number | null): string {
  return deliveryId === null ? '–' : `#${deliveryId}`;
}

/** The delivery number alone is ambiguous: numbers start again in a new database. */
function isAnnouncementOf(
  effect: Effect<Announcement>,
  block: FoundBlock,
  namesVoter: (listing: string) => boolean,
): boolean {
  const { listing, userId, at, test } = effect.content;
  // A test names nobody.
  const namesUser = test || userId === null || !namesVoter(listing) || block.text.includes(mention(userId));
  return namesUser && hasFooter(block, footerOf(effect, namesVoter), { at });
}

/**
 * Discord checks a nonce against "the past few minutes" ("Create Message"); it is certain to remember it for this long
 * (ms).
 */
const nonceLifetimeMs = 2 * minute;
/** The largest expected error of a clock that was set back (ms): local time taken for UTC is off by hours. */
const maxClockErrorMs = 1 * day;

type AnnouncerContext = Pick<
  PartsContext,
  'rest' | 'languages' | 'channelTexts' | 'cardOf' | 'portraits' | 'voteButtons' | 'clock' | 'log'
> & { readonly announcements: Pick<PartsContext['announcements'], 'styleOf'> };

/**
 * Announces over REST alone, so it works without the gateway. Up to 10 effects of one channel and nonce become one
 * message with an embed each. With `enforce_nonce`, Discord returns the existing message if it is sent again. If
 * Discord may have forgotten the nonce of an attempt with an unknown result, the channel history is searched before the
 * message is sent again.
 */
export class Announcer {
  readonly #context: AnnouncerContext;
  /** The counted votes of a member in the community of a listing; called only for texts that contain them. */
  readonly #votesOf: (userId: string, listing: string) => Promise<number>;
  readonly #nonceAges: ReturnType<typeof createNonceAges>;

  constructor(context: AnnouncerContext, votesOf: (userId: string, listing: string) => Promise<number>) {
    this.#context = context;
    this.#votesOf = votesOf;
    this.#nonceAges = createNonceAges(context.clock);
  }

  async announce(effects: readonly Effect<Announcement>[]): Promise<AttemptResult> {
    const [first] = effects;
    if (first === undefined) return { outcome: 'done' };
    const { queue, nonce } = first;
    const channelId = parseQueue(queue).id;
    const earlier = await this.#resolveEarlierAttempt(effects, channelId, nonce);
    if (earlier !== null) return earlier;
    let votes: VotesByMember;
    try {
      votes = await this.#readVotes(effects);
    } catch (error) {
      const reason = `The votes of a member cannot be read: ${messageOf(error)}`;
      return { outcome: 'later', reason, scope: 'effects', notSent: true };
    }
    let request: MessageRequest;
    try {
      const replies = await this.#render(effects, channelId, votes);
      // Our texts are short enough to be cut rarely. A message that may exist is not divided: its parts would be
      // announced again.
      const isOwnText = effects.some(({ content }) => this.#styleOf(content.listing).text !== null);
      if (isOwnText && isTooLong(replies) && firstPossiblySentAt(effects) === null) return tooLong;
      request = postRequest(replies, nonce);
    } catch (error) {
      const ids = effects.map(({ id }) => id);
      this.#context.log.error({ effects: ids, err: error }, 'an announcement could not be rendered');
      return renderFailure(error, effects.length);
    }
    this.#nonceAges.begin(nonce, 0);
    const attempt = await this.#send(channelId, request, effects.length);
    const isPossiblySent = attempt.outcome === 'later' && (!attempt.notSent || firstPossiblySentAt(effects) !== null);
    if (!isPossiblySent) this.#nonceAges.forget(nonce);
    return attempt;
  }

  #styleOf(listing: string): AnnouncementStyle {
    return this.#context.announcements.styleOf(listing);
  }

  readonly #namesVoter = (listing: string) => showsVoter(this.#styleOf(listing));

  /**
   * The result of an earlier attempt; null if the message is to be sent: it is not in the channel, or its nonce is
   * still valid.
   */
  async #resolveEarlierAttempt(
    effects: readonly Effect<Announcement>[],
    channelId: string,
    nonce: string,
  ): Promise<AttemptResult | null> {
    const { rest, clock } = this.#context;
    const since = firstPossiblySentAt(effects);
    if (since === null) return null;
    const now = clock.now();
    const age = this.#nonceAges.of(nonce, since);
    if (age >= 0 && age < nonceLifetimeMs) {
      this.#nonceAges.begin(nonce, age);
      return null;
    }
    try {
      const from = age < 0 ? now - maxClockErrorMs : Math.min(since, now - age);
      const found = await searchChannel(rest, channelId, from, (blocks) =>
        effects.every((effect) => blocks.some((block) => isAnnouncementOf(effect, block, this.#namesVoter))),
      );
      if (found === 'unknown') {
        return { outcome: 'later', reason: unknownResult(channelId, since), scope: 'effects', notSent: true };
      }
      this.#nonceAges.forget(nonce);
      return found === 'absent' ? null : { outcome: 'done' };
    } catch (error) {
      const attempt = classifySendError(error, { channelId, effects: 1 });
      return attempt.outcome === 'later' ? { ...attempt, notSent: true } : attempt;
    }
  }

  async #readVotes(effects: readonly Effect<Announcement>[]): Promise<VotesByMember> {
    const shown = effects.filter(({ content }) => showsVotes(this.#styleOf(content.listing)));
    const voters = new Map(shown.map(({ content }) => [nameOfVoter(content), content]));
    const counts = [...voters].map(async ([name, { userId, listing }]) => {
      return [name, userId === null ? 0 : await this.#votesOf(userId, listing)] as const;
    });
    return new Map(await Promise.all(counts));
  }

  async #render(
    effects: readonly Effect<Announcement>[],
    channelId: string,
    votes: VotesByMember,
  ): Promise<readonly Reply[]> {
    const { languages, channelTexts, cardOf, portraits, voteButtons, clock } = this.#context;
    const names = [...new Set(effects.map(({ content }) => content.listing))];
    const cards = new Map(names.map((name) => [name, readCard(cardOf, name, clock)]));
    const hasIcon = effects.some(({ content }) => this.#styleOf(content.listing).icon);
    const [ownTexts, icon] = await Promise.all([
      channelTexts(channelId),
      hasIcon ? portraits.iconOf(channelId) : Promise.resolve(null),
    ]);
    return Promise.all(
      effects.map(async (effect) => {
        const { content } = effect;
        const { userId, listing, test } = content;
        const style = this.#styleOf(listing);
        const texts = style.language === null ? ownTexts : languages.for(style.language);
        const voter = userId === null || test || !style.avatar ? null : await portraits.ofMember(channelId, userId);
        const shown = {
          ...{ style, texts, voter, icon, card: (await cards.get(listing)) ?? null },
          votes: userId === null ? null : (votes.get(nameOfVoter(content)) ?? null),
        };
        const footer = footerOf(effect, this.#namesVoter);
        return { ...renderStyledAnnouncement(content, shown, voteButtons(texts)), footer };
      }),
    );
  }

  async #send(channelId: string, { body, files }: MessageRequest, effects: number): Promise<AttemptResult> {
    const { rest, log } = this.#context;
    try {
      await rest.post(Routes.channelMessages(channelId), body, files);
      return { outcome: 'done' };
    } catch (error) {
      if (describeDiscordError(error).kind === 'token') {
        log.error({ hint: tokenHint }, 'Discord rejects the bot token');
      }
      return classifySendError(error, { channelId, effects });
    }
  }
}

/** Counted votes, by {@link nameOfVoter}. */
type VotesByMember = ReadonlyMap<string, number>;

/** A message can have votes for listings of several communities. */
function nameOfVoter({ userId, listing }: Pick<Announcement, 'userId' | 'listing'>): string {
  return `${userId} ${listing}`;
}

const tooLong = { outcome: 'split', reason: 'The announcements are too long for one message.' } as const;

/** True if texts would be cut, because the announcements of one message share its length. */
function isTooLong(replies: readonly Reply[]): boolean {
  if (replies.length === 1) return false;
  const maxLength = Math.floor(embedLimits.total / replies.length);
  return replies.some(({ title, footer, text }) => [title, footer, text].join('').length >= maxLength);
}

/** Start of the earliest attempt whose result is unknown (ms since the epoch); null without one. */
function firstPossiblySentAt(effects: readonly Effect<Announcement>[]): number | null {
  const times = effects.map(({ possiblySentSince }) => possiblySentSince).filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

function unknownResult(channelId: string, since: number): string {
  const time = new Date(since).toISOString();
  return `Unknown whether it was announced at ${time}. Give the bot Read Message History in channel ${channelId}.`;
}

function renderFailure(error: unknown, effects: number): AttemptResult {
  const reason = `The announcement cannot be rendered: ${messageOf(error)}`;
  return effects > 1 ? { outcome: 'split', reason } : { outcome: 'bury', reason };
}

const maxEntries = 1_000;

/**
 * The age of messages that were sent with an unknown result. Discord forgets a nonce after a few minutes, and the wall
 * clock can be set between two attempts, so attempts of this process are measured in monotonic time.
 */
function createNonceAges({ now, monotonic }: Clock) {
  const startTimes = new BoundedMap<number>(maxEntries);
  return {
    /**
     * Age of the first attempt (ms). If another process made it, by the wall clock; negative if that was set back since.
     * @param since start of the first attempt (ms since the epoch)
     */
    of(nonce: string, since: number): number {
      const startedAt = startTimes.get(nonce);
      return startedAt === undefined ? now() - since : monotonic() - startedAt;
    },
    /**
     * Starts the measurement unless it runs already.
     * @param age age of the first attempt (ms); 0 for the first attempt itself
     */
    begin(nonce: string, age: number): void {
      if (!startTimes.has(nonce)) startTimes.set(nonce, monotonic() - age);
    },
    forget: (nonce: string) => void startTimes.delete(nonce),
  };
}
