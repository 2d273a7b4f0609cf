/** A listing is one server or one bot; its API key and its secrets belong to it alone (document, section 1). */
export type ListingKind = 'server' | 'bot';

/** A custom emoji of a listed server. The document does not show the element type; this is the service's choice. */
export interface ServerEmoji {
  readonly id: string;
  readonly name: string;
  readonly animated: boolean;
}

/** What is only known of servers (document, section 2.2). */
export interface ServerFacts {
  readonly category: string;
  readonly features: readonly string[];
  readonly emojis: readonly ServerEmoji[];
  readonly channelCount: number;
  readonly roleCount: number;
  readonly rules: readonly string[];
  readonly members: number;
  readonly online: number;
}

/** What is only known of bots (document, section 2.3). */
export interface BotFacts {
  readonly servers: number;
  readonly shards: number;
}

interface Listed {
  /** The Discord id of the server or bot, digits; it is the listing's id everywhere. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The Discord id of the one who runs it and may see its dashboard. */
  readonly ownerId: string;
  /** When it was listed (ms since the epoch). */
  readonly createdAt: number;
}

export type ServerListing = Listed & { readonly kind: 'server'; readonly facts: ServerFacts };
export type BotListing = Listed & { readonly kind: 'bot'; readonly facts: BotFacts };
export type Listing = ServerListing | BotListing;

/** The path of a listing's public page, `/servers/:id` or `/bots/:id`. */
export function pagePath(listing: Pick<Listing, 'kind' | 'id'>): string {
  return `/${listing.kind}s/${listing.id}`;
}

/** Discord ids: 1 to 20 digits. */
export const listingIdSchema = /^\d{1,20}$/;
