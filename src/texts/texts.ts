import type { LookupErrorCode } from '../lookup/failures.ts';
import type { ListingKind } from '../lookup/lookup.ts';
import type { ReviewSort } from '../lookup/schemas.ts';
import type { Markup } from './markup.ts';

/**
 * Every sentence that a member sees, in one language. Sentences that Discord draws are {@link Markup} and take only Markup, so foreign
 * text is escaped before it gets here; plain strings are for places without markup (the command picker, buttons, footers).
 */
export interface Texts {
  readonly listing: ListingTexts;
  readonly canVote: CanVoteTexts;
  readonly reviews: ReviewsTexts;
  readonly stats: StatsTexts;
  readonly announcement: AnnouncementTexts;
  readonly failure: FailureTexts;
}

export interface ListingTexts {
  /** The names of the choices, for the option that says which listing is meant. */
  readonly kinds: Readonly<Record<ListingKind, string>>;
  readonly option: string;
  /** A listing whose name is not known just now. */
  readonly nameless: Readonly<Record<ListingKind, Markup>>;
  /** The service gave no new answer, or could not be asked; this is from then. */
  readonly asOf: (then: Markup) => Markup;
}

/** `who` is null for the one who asks. */
export interface CanVoteTexts {
  readonly description: string;
  readonly userOption: string;
  readonly voteButton: string;
  readonly titleNow: Markup;
  readonly titleLater: Markup;
  readonly now: (who: Markup | null, listing: Markup) => Markup;
  /** `when` is null where the service does not say. */
  readonly later: (who: Markup | null, listing: Markup, when: Markup | null) => Markup;
  readonly lastVote: (when: Markup) => Markup;
}

export interface ReviewsTexts {
  readonly description: string;
  readonly sortOption: string;
  readonly limitOption: string;
  readonly sorts: Readonly<Record<ReviewSort, string>>;
  readonly title: Markup;
  readonly none: Markup;
  readonly nobody: Markup;
  readonly unrated: Markup;
  readonly wordless: Markup;
  /** "12 of 345 reviews", with the page where there are several. */
  readonly count: (
    shown: string,
    total: string,
    page: { readonly number: string; readonly of: string } | null,
  ) => string;
  readonly previous: string;
  readonly next: string;
}

export interface StatsTexts {
  readonly description: string;
  readonly votes: Markup;
  readonly monthlyVotes: Markup;
  readonly members: Markup;
  readonly online: Markup;
  readonly channels: Markup;
  readonly roles: Markup;
  readonly servers: Markup;
  readonly shards: Markup;
  readonly category: Markup;
  readonly tags: Markup;
  readonly pageButton: string;
}

/** `who` is null where the event names nobody. */
export interface AnnouncementTexts {
  readonly titles: Readonly<Record<'vote' | 'bought' | 'renewed' | 'expired' | 'revoked' | 'other', Markup>>;
  readonly test: Markup;
  readonly tested: (event: Markup, listing: Markup) => Markup;
  readonly voted: (who: Markup | null, listing: Markup) => Markup;
  readonly bought: (who: Markup | null, listing: Markup, tier: Markup | null) => Markup;
  readonly gifted: (who: Markup | null, by: Markup, listing: Markup, tier: Markup | null) => Markup;
  readonly renewed: (who: Markup | null, listing: Markup, tier: Markup | null) => Markup;
  readonly expired: (who: Markup | null, listing: Markup, tier: Markup | null) => Markup;
  readonly revoked: (who: Markup | null, listing: Markup, tier: Markup | null) => Markup;
  readonly other: (who: Markup | null, event: Markup, listing: Markup) => Markup;
  /** The same number twice: `credits` decides between singular and plural, `grouped` is what is shown. */
  readonly credits: (credits: number, grouped: Markup) => Markup;
  readonly noCredits: Markup;
  readonly balance: (credits: number, grouped: Markup) => Markup;
  readonly because: (reason: Markup) => Markup;
  /** Our own reasons, by the word that stands in the announcement. */
  readonly reasons: Readonly<Record<string, Markup>>;
  readonly nextVote: (when: Markup) => Markup;
}

export interface FailureTexts {
  readonly title: Markup;
  /** The service gave no answer; `retry` is the moment from which asking again makes sense, null where it is not known. */
  readonly lookup: Readonly<Record<LookupErrorCode, (retry: Markup | null) => Markup>>;
  /** Something broke; `incident` finds it in the log. */
  readonly incident: (incident: Markup) => Markup;
  readonly tooLate: (retry: Markup) => Markup;
  readonly unknownCommand: Markup;
  readonly unknownButton: Markup;
}
