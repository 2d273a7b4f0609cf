import { randomBytes } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Listing } from 'listing-service';
import { z } from 'zod';
import { signDelivery } from '../../webhook/sites/authenticate.ts';
import type { Site } from '../../webhook/sites/site.ts';
import type { VoteResult } from '../page/ports.ts';

export const storedSiteSchema = z.object({
  /** The token of its API. */
  key: z.string(),
  /** Signs its deliveries, or is in them. */
  secret: z.string(),
  /** Where it delivers votes; null until the owner has entered an address. */
  webhook: z.string().nullable(),
  /** Oldest first; `at`: ms since the epoch, sandbox clock. */
  votes: z.array(z.object({ userId: z.string(), at: z.number() })),
});

export type StoredSite = z.infer<typeof storedSiteSchema>;
type SiteVote = StoredSite['votes'][number];

/** Number of votes that a site remembers. */
const maxVotes = 1_000;
const timeoutMs = 5 * second;

const randomHex = () => randomBytes(24).toString('hex');

interface ImitatedSiteOptions {
  readonly site: Site;
  readonly listing: Pick<Listing, 'kind' | 'id' | 'name'>;
  /** From an earlier run. */
  readonly stored: StoredSite | undefined;
  readonly clock: Clock;
  /** Called after each change of what is to be stored. */
  readonly onChange: () => void;
  /** Called when the receiver cannot be reached, with the reason. */
  readonly onUndelivered: (reason: string) => void;
}

/** One listing on a listing site that the sandbox imitates: its votes, and its deliveries as the site signs them. */
export class ImitatedSite {
  readonly site: Site;
  readonly listing: ImitatedSiteOptions['listing'];
  /** Its name in the settings of a bot that knows it from the start, and in the address of its webhook. */
  readonly name: string;
  /** The vote page on the real site. */
  readonly page: string;
  readonly stored: StoredSite;
  readonly #options: ImitatedSiteOptions;

  constructor(options: ImitatedSiteOptions) {
    const { site, listing, stored } = options;
    this.#options = options;
    this.site = site;
    this.listing = listing;
    this.name = listing.name.toLowerCase().replaceAll(' ', '-');
    this.page = site.votePage({ ...listing, slug: null }) ?? '';
    const secret = site.id === 'topgg' ? `whs_${randomHex()}` : randomHex();
    this.stored = stored ?? { key: randomHex(), secret, webhook: null, votes: [] };
  }

  /** Votes as the site counts it, and sends the delivery unless the listing has no webhook. */
  castVote(userId: string): VoteResult {
    const { stored, nextVoteAt } = this;
    const at = this.#options.clock.now();
    const dueAt = nextVoteAt(userId);
    if (dueAt !== null) return { outcome: 'too_soon', nextVoteAt: dueAt };
    stored.votes = [...stored.votes, { userId, at }].slice(-maxVotes);
    this.#options.onChange();
    void this.#deliver(userId, at, false);
    return { outcome: 'recorded', nextVoteAt: at + this.site.cooldownMs, isDelivered: stored.webhook !== null };
  }

  /** The vote of a member that still counts. */
  findVote(userId: string): SiteVote | undefined {
    const last = this.stored.votes.findLast((vote) => vote.userId === userId);
    return last && this.#options.clock.now() < last.at + this.site.cooldownMs ? last : undefined;
  }

  /** When the member may vote again (ms since the epoch); null for now. */
  readonly nextVoteAt = (userId: string): number | null => {
    const vote = this.findVote(userId);
    return vote === undefined ? null : vote.at + this.site.cooldownMs;
  };

  setWebhook(webhook: string | null, secret = this.stored.secret): void {
    Object.assign(this.stored, { webhook, secret });
    this.#options.onChange();
  }

  /** What the site sends when its owner presses "Send test". */
  async sendTest(userId: string): Promise<void> {
    await this.#deliver(userId, this.#options.clock.now(), true);
  }

  async #deliver(userId: string, at: number, isTest: boolean): Promise<void> {
    const { site, listing, stored } = this;
    const { clock, onUndelivered } = this.#options;
    if (stored.webhook === null) return;
    const id = `${at}${stored.votes.length}`;
    const content = site.write({ kind: listing.kind, targetId: listing.id, userId, at, id, isTest });
    const { headers, body } = signDelivery(site.schemes[0], JSON.stringify(content), stored.secret, clock.now());
    try {
      await fetch(stored.webhook, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      onUndelivered(messageOf(error));
    }
  }
}
