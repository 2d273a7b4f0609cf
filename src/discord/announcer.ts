import { DiscordAPIError, type RESTPostAPIChannelMessageJSONBody, Routes } from 'discord.js';
import { type Clock, second } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Attempt, Effect, Perform } from '../outbox/effect.ts';
import { within } from '../patience.ts';
import type { Texts } from '../texts/texts.ts';
import { type ListingCard, sayAnnouncement } from './announcement.ts';
import { attemptAfter } from './attempt.ts';
import { drawEmbed } from './reply.ts';
import type { DiscordRest } from './rest.ts';
import { tokenCure } from './token.ts';

/** The card of a listing is only an ornament: an announcement waits no longer than this for it (ms). */
const patience = second / 2;
/** What all embeds of one message may hold together. Discord: "Embed Limits". */
const room = 6_000;

/**
 * Announces over REST alone, so it works while the gateway is down. Up to 10 effects of one channel and nonce become one message with an
 * embed each; with `enforce_nonce` a repeat of a message that Discord has is that message.
 */
export function createAnnouncer(options: {
  rest: DiscordRest;
  texts: Texts;
  /** By the configured name; null where nothing more is known just now. It may be slow or fail. */
  listingOf: (name: string) => Promise<ListingCard | null>;
  clock: Clock;
  log: Log;
}): Perform {
  const { rest, texts, listingOf, clock, log } = options;

  async function draw(effects: readonly Effect[]): Promise<RESTPostAPIChannelMessageJSONBody> {
    const names = [...new Set(effects.map(({ announcement }) => announcement.listing))];
    const cards = new Map(await Promise.all(names.map(async (name) => [name, await cardOf(name)] as const)));
    const embeds = effects.map(({ announcement }) => {
      const said = sayAnnouncement(announcement, cards.get(announcement.listing) ?? null, texts.announcement);
      return drawEmbed(said, Math.floor(room / effects.length));
    });
    return { embeds, allowed_mentions: { parse: [] }, enforce_nonce: true };
  }

  async function cardOf(name: string): Promise<ListingCard | undefined> {
    const coming = (async () => (await listingOf(name)) ?? undefined)();
    return within(patience, clock, coming);
  }

  return async (effects) => {
    const [first] = effects;
    if (first === undefined) return { outcome: 'done' };
    const { channelId, nonce } = first;
    let body: RESTPostAPIChannelMessageJSONBody;
    try {
      body = { ...(await draw(effects)), nonce };
    } catch (error) {
      log.error({ effects: effects.map(({ id }) => id), err: error }, 'an announcement could not be drawn');
      return undrawable(error, effects.length);
    }
    try {
      await rest.post(Routes.channelMessages(channelId), body);
      return { outcome: 'done' };
    } catch (error) {
      if (error instanceof DiscordAPIError && error.status === 401) {
        log.error({ cure: tokenCure }, 'Discord does not accept the bot token');
      }
      return attemptAfter(error, { channelId, effects: effects.length });
    }
  };
}

function undrawable(error: unknown, effects: number): Attempt {
  const reason = `It cannot be drawn: ${messageOf(error)}`;
  return effects > 1 ? { outcome: 'split', reason } : { outcome: 'bury', reason };
}
