import type { Fields } from '../fields.ts';
import type { Scheme, SiteWithErrors } from './scheme.ts';

/** The sites that this version knows; `custom` is described by the configuration. @category Start here */
export type KnownSite =
  | 'service'
  | 'topgg'
  | 'discordbotlist'
  | 'discordplace'
  | 'infinity'
  | 'discords'
  | 'topdiscordlist'
  | 'voidbots'
  | 'botlistme'
  | 'disurl'
  | 'guildsme'
  | 'discollab'
  | 'botradar'
  | 'discordforge'
  | 'diffcord'
  | 'discordlistgg'
  | 'capture'
  | 'custom';

/** A listing site: pure data, and pure functions of one delivery. */
export interface Site extends SiteWithErrors {
  /** The value of `site` in the configuration. */
  readonly id: KnownSite;
  /** For announcements, `/canvote` and the owner. */
  readonly name: string;
  /** Kinds of listings of which it reports votes. */
  readonly kinds: readonly ('server' | 'bot')[];
  /**
   * The schemes that authenticate its deliveries, strongest first. The first one whose header is present decides:
   * another one is never tried after it has failed, or a captured token would be worth as much as the signature.
   */
  readonly schemes: readonly [Scheme, ...Scheme[]];
  /** Time between two votes of a member, unless the delivery or the owner states another (ms). */
  readonly cooldownMs: number;
  /**
   * From a vote to the last retry of its delivery (ms): within this time, a vote without time and id may be a repeat, and
   * the next genuine one may seem too early by as much.
   */
  readonly retryHorizonMs: number;
  /** Where members vote; null if it is not known. */
  votePage(listing: PageOfListing): string | null;
  /** Values that the owner enters on the site to have its votes delivered, beside the address. */
  readonly setup: WebhookSetup;
  /** The largest body that it documents (bytes); 64 KiB by default. */
  readonly maxBodyBytes?: number;
  /** A delivery without what nothing reads, as it is stored; by default all of it. */
  condense?(json: Fields): Fields;
  /** Reads a delivery whose sender is known. @throws InvalidFieldError */
  read(json: Fields, context: ReadingContext): Reading;
  /** The body of a delivery, as the site sends it: for tests, the sandbox, and `tallyhook send`. */
  write(vote: WrittenVote): object;
  /** The fields of votes that it also sends, beside the form that `write` has: by them its deliveries are recognised. */
  readonly olderForms?: readonly (readonly string[])[];
  /** Headers that it alone sends, in lower case, beside those of its schemes: by them its deliveries are recognised, too. */
  readonly ownHeaders?: readonly string[];
}

export interface WebhookSetup {
  /** Who makes the secret: the owner enters one of tallyhook's at the site, or copies the site's to tallyhook. */
  readonly secret: 'ours' | 'theirs';
  /** How a secret of the site begins. */
  readonly secretPrefix?: string;
  /** The event that is ticked there. */
  readonly event?: string;
  /** Another choice there, by the words of the site: a protocol. */
  readonly choice?: string;
}

/** The parts of an address of a vote page. */
export interface PageOfListing {
  readonly kind: 'server' | 'bot';
  /** The Discord ID of the listing; null if it is not configured. */
  readonly id: string | null;
  /** The listing's name at the site; null if it is not configured. */
  readonly slug: string | null;
}

export interface ReadingContext {
  /** Ms since the epoch. */
  readonly now: number;
  /** The scheme that the delivery was authenticated by; null for a delivery from the log. */
  readonly scheme: Scheme | null;
}

/** The content of a delivery, not validated. */
export type Reading =
  | ({ readonly type: 'vote' } & VoteReading)
  | { readonly type: 'test'; readonly userId: unknown }
  /** Another event of the site, which pays nothing. */
  | { readonly type: 'ignored'; readonly event: string }
  /** Genuine, but not understood. */
  | { readonly type: 'unclear'; readonly reason: string };

export interface VoteReading {
  /** The Discord ID of the voter, never the site's own. */
  readonly userId: unknown;
  /** The Discord ID of the server or bot; undefined if the delivery does not name it. */
  readonly target?: unknown;
  /** By default the kind of the listing. */
  readonly kind?: 'server' | 'bot';
  /** Ms since the epoch; null without a time. */
  readonly at?: number | null;
  /** When the site accepts the next vote of the member (ms since the epoch). */
  readonly nextVoteAt?: number | null;
  /** The site's own ID of the vote. */
  readonly id?: unknown;
  /** How many votes it counts as on the site. */
  readonly weight?: unknown;
}

export interface WrittenVote {
  readonly kind: 'server' | 'bot';
  /** Discord ID of the server or bot. */
  readonly targetId: string;
  readonly userId: string;
  /** Ms since the epoch. */
  readonly at: number;
  /** The site's own ID of the vote. */
  readonly id: string;
  readonly isTest: boolean;
}

/** The home page of a site, as far as its address is known. */
export function homePageOf({ kinds: [kind = 'server'], votePage }: Pick<Site, 'kinds' | 'votePage'>): string | null {
  const page = votePage({ kind, id: '1', slug: '1' });
  return page === null ? null : new URL('/', page).href;
}

/** The strength of what authenticates the deliveries: who sees one request to a `token` site can forge votes. */
export type Trust = 'signed' | 'token' | 'none';

export function trustOf({ schemes: [strongest] }: Pick<Site, 'schemes'>): Trust {
  switch (strongest.type) {
    case 'signature':
    case 'jws':
      return 'signed';
    case 'token':
      return 'token';
    case 'none':
      return 'none';
  }
}
