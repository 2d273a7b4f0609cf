import { DiscordAPIError, type RESTPostAPIChannelMessageJSONBody, Routes } from 'discord.js';
import type { AttemptResult, Effect, EffectHandler } from '../outbox/effect.ts';
import type { Clock } from '../platform/clock.ts';
import { day, minute, second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import type { Texts } from '../texts/en.ts';
import { type ListingCard, renderAnnouncement } from './announcement.ts';
import { deliveryTagOf } from './delivery-tag.ts';
import { createFindAnnouncement } from './find-announcement.ts';
import { createNonceAges } from './nonce-ages.ts';
import { renderEmbed } from './reply.ts';
import type { DiscordRest } from './rest.ts';
import { classifySendError } from './send-errors.ts';
import { tokenHint } from './token.ts';

/** The card of a listing is only an ornament: an announcement waits no longer than this for it (ms). */
const patience = second / 2;
/** What all embeds of one message may hold together. Discord: "Embed Limits". */
const room = 6_000;
/** Discord checks a nonce against "the past few minutes" ("Create Message"); this much of it is sure (ms). */
const nonceHolds = 2 * minute;
/** By how much a clock may have been wrong that was set back (ms): one that takes local time for UTC is so by hours. */
const wrongBy = 1 * day;

/**
 * Announces over REST alone, so it works while the gateway is down. Up to 10 effects of one channel and nonce become one message with an
 * embed each; with `enforce_nonce` a repeat of a message that Discord has is that message. When a nonce may be forgotten, it looks into
 * the channel before it repeats what may be there.
 */
export function createAnnouncer(options: {
  rest: DiscordRest;
  texts: Texts;
  /** By the configured name; null where nothing more is known just now. It may be slow or fail. */
  listingOf: (name: string) => Promise<ListingCard | null>;
  clock: Clock;
  log: Log;
}): EffectHandler {
  const { rest, texts, listingOf, clock, log } = options;
  const lookBack = createFindAnnouncement(rest);
  const ages = createNonceAges(clock);

  async function draw(effects: readonly Effect[]): Promise<RESTPostAPIChannelMessageJSONBody> {
    const names = [...new Set(effects.map(({ announcement }) => announcement.listing))];
    const cards = new Map(await Promise.all(names.map(async (name) => [name, await cardOf(name)] as const)));
    const embeds = effects.map((effect) => {
      const card = cards.get(effect.announcement.listing) ?? null;
      const said = renderAnnouncement(effect.announcement, card, texts.announcement);
      return renderEmbed({ ...said, footer: deliveryTagOf(effect) }, Math.floor(room / effects.length));
    });
    return { embeds, allowed_mentions: { parse: [] }, enforce_nonce: true };
  }

  async function cardOf(name: string): Promise<ListingCard | undefined> {
    const coming = (async () => (await listingOf(name)) ?? undefined)();
    return settleWithin(patience, clock, coming);
  }

  /** What has become of an earlier attempt that nobody knows the end of; null when it surely came to nothing, or its nonce still holds. */
  async function earlierAttempt(
    effects: readonly Effect[],
    channelId: string,
    nonce: string,
  ): Promise<AttemptResult | null> {
    const since = unsureSince(effects);
    if (since === null) return null;
    const now = clock.now();
    const age = ages.of(nonce, since);
    if (age >= 0 && age < nonceHolds) {
      ages.begin(nonce, age);
      return null;
    }
    try {
      switch (await lookBack(effects, age < 0 ? now - wrongBy : Math.min(since, now - age))) {
        case 'there':
          ages.forget(nonce);
          return { outcome: 'done' };
        case 'absent':
          ages.forget(nonce);
          return null;
        case 'unknown':
          return { outcome: 'later', reason: cannotTell(channelId, since), everything: false, surelyNotDone: true };
      }
    } catch (error) {
      const attempt = classifySendError(error, { channelId, effects: 1 });
      return attempt.outcome === 'later' ? { ...attempt, surelyNotDone: true } : attempt;
    }
  }

  async function send(
    channelId: string,
    body: RESTPostAPIChannelMessageJSONBody,
    effects: number,
  ): Promise<AttemptResult> {
    try {
      await rest.post(Routes.channelMessages(channelId), body);
      return { outcome: 'done' };
    } catch (error) {
      if (error instanceof DiscordAPIError && error.status === 401) {
        log.error({ cure: tokenHint }, 'Discord does not accept the bot token');
      }
      return classifySendError(error, { channelId, effects });
    }
  }

  return async (effects) => {
    const [first] = effects;
    if (first === undefined) return { outcome: 'done' };
    const { channelId, nonce } = first;
    const earlier = await earlierAttempt(effects, channelId, nonce);
    if (earlier !== null) return earlier;
    let body: RESTPostAPIChannelMessageJSONBody;
    try {
      body = { ...(await draw(effects)), nonce };
    } catch (error) {
      log.error({ effects: effects.map(({ id }) => id), err: error }, 'an announcement could not be drawn');
      return undrawable(error, effects.length);
    }
    ages.begin(nonce, 0);
    const attempt = await send(channelId, body, effects.length);
    const mayBeThere = attempt.outcome === 'later' && (!attempt.surelyNotDone || unsureSince(effects) !== null);
    if (!mayBeThere) ages.forget(nonce);
    return attempt;
  };
}

/** When the first attempt began of which nobody knows whether it succeeded (ms since the epoch); null when none did. */
function unsureSince(effects: readonly Effect[]): number | null {
  const begun = effects.map(({ possiblySentSince: unsureSince }) => unsureSince).filter((since) => since !== null);
  return begun.length === 0 ? null : Math.min(...begun);
}

function cannotTell(channelId: string, since: number): string {
  const when = new Date(since).toISOString();
  return `It may have been announced at ${when}, and nobody can tell. Give the bot Read Message History in channel ${channelId}.`;
}

function undrawable(error: unknown, effects: number): AttemptResult {
  const reason = `It cannot be drawn: ${messageOf(error)}`;
  return effects > 1 ? { outcome: 'split', reason } : { outcome: 'bury', reason };
}
