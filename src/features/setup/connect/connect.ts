import { randomUUID } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { CommunitySettings } from '../community.ts';
import { webhookAddresses } from '../describe-community.ts';
import type { Setup } from '../setup.ts';
import { type ConnectClient, ConnectError } from './connect-client.ts';
import type { ConnectAttempt, ConnectTicket, ConnectTickets } from './connect-tickets.ts';

/** Where the browser comes from Discord, and below it from the service. */
export const connectPath = '/connect';

/** How long a message waits for the service (ms). */
const offerTimeoutMs = second;
/** After this, every process knows the new secrets (ms). */
const settingsDelayMs = 6 * second;
/** Discord's limit for the address of a button. */
const maxUrlLength = 512;

/** Why nothing can be connected now. */
export type ConnectObstacle = 'managersOnly' | 'already' | 'unavailable';

/** A link for the member who opened `/setup`. */
export interface ConnectOffer {
  readonly url: string;
  /** The name that the listing gets. */
  readonly listing: string;
}

/** Connects the bot to the listing of a guild, after its owner has agreed on the service's page. */
export function createConnect(options: {
  readonly client: ConnectClient;
  readonly tickets: ConnectTickets;
  readonly settings: Pick<Setup, 'read' | 'link'>;
  readonly publicUrl: string;
  /** Whether Discord says that the member may manage the guild. */
  readonly isManager: (guildId: string, userId: string) => Promise<boolean>;
  readonly botName: () => Promise<string>;
  /** Whether nobody could take over a listing of the operator. */
  readonly mayLink: () => boolean;
  /** Real time. */
  readonly stopwatch: Clock;
  readonly log: Log;
}) {
  const { client, tickets, settings, publicUrl, isManager, botName, mayLink, stopwatch, log } = options;
  const redirectUri = `${publicUrl}${connectPath}/callback`;

  return {
    /** Null if the service offers nothing, or not in time, or the guild has its listing. Never rejects. */
    async offer(community: CommunitySettings, userId: string): Promise<ConnectOffer | null> {
      if (!mayLink() || !community.canStoreSecrets || hasServer(community)) return null;
      if (
        !(await settleWithin(
          offerTimeoutMs,
          stopwatch,
          client.endpoints().catch(() => null),
        ))
      )
        return null;
      const { ticket, listing } = await tickets.issue(community.guildId, userId);
      const url = `${publicUrl}${connectPath}/${ticket}`;
      return url.length > maxUrlLength ? null : { url, listing };
    },

    /** Checked at the beginning and at the end. Rejects with the errors of Discord and of the store. */
    async obstacle({ guildId, userId }: ConnectTicket): Promise<ConnectObstacle | null> {
      if (!(await isManager(guildId, userId))) return 'managersOnly';
      const community = await settings.read(guildId);
      if (hasServer(community)) return 'already';
      return mayLink() && community.canStoreSecrets ? null : 'unavailable';
    },

    /** Asks the service for its page. Rejects with {@link ConnectError}. */
    async start(ticket: ConnectTicket): Promise<{ readonly url: string; readonly cookie: string }> {
      const { state, challenge, sealed } = await tickets.start(ticket);
      const { vote, premium } = webhookAddresses({ name: ticket.listing }, publicUrl);
      if (premium === null) throw new Error('A listing of the service has an address for premium events.');
      const url = await client.request({
        name: (await botName()).slice(0, 50),
        guild: ticket.guildId,
        member: ticket.userId,
        redirect_uri: redirectUri,
        state,
        code_challenge: challenge,
        webhooks: { vote, premium },
      });
      return { url, cookie: sealed };
    },

    /**
     * Exchanges the code, links the listing as `/setup` does, and has the service send its test.
     * @returns whether the test has arrived
     * @throws ConnectError
     */
    async finish({ guildId, userId, listing, verifier }: ConnectAttempt, code: string): Promise<boolean> {
      const granted = await client.exchange({ code, code_verifier: verifier, redirect_uri: redirectUri });
      if (granted.guild !== guildId || granted.listing.id !== guildId || granted.member !== userId) {
        throw new ConnectError('the service has connected another listing or member');
      }
      const { key, webhooks } = granted;
      const linked = await settings.link({
        guildId,
        authorId: userId,
        interactionId: `connect ${randomUUID()}`,
        kind: 'server',
        targetId: guildId,
        name: listing,
        lookupKey: key,
        voteSecret: webhooks.vote.secret,
        premiumSecret: webhooks.premium.secret,
      });
      if (linked.status === 'invalid') {
        throw new ConnectError(
          `the listing cannot be linked: ${linked.issues.map(({ code: issue }) => issue).join(', ')}`,
        );
      }
      log.info({ guild: guildId, listing }, 'a listing was connected');
      if (await isDelivered(key)) return true;
      await stopwatch.sleep(settingsDelayMs, new AbortController().signal);
      return isDelivered(key);
    },
  };

  async function isDelivered(key: string): Promise<boolean> {
    try {
      return await client.test(key);
    } catch (error) {
      if (error instanceof ConnectError) return false;
      throw error;
    }
  }
}

export type Connect = ReturnType<typeof createConnect>;

/** Whether the guild has linked a server on the service, perhaps itself. */
function hasServer({ guildId, listings }: CommunitySettings): boolean {
  return listings.some(
    ({ kind, site, targetId }) => kind === 'server' && site === null && (targetId === null || targetId === guildId),
  );
}
