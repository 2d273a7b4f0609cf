import { z } from 'zod';

/** A listing is one server or one bot. Its API key and its secrets are valid for this listing only. */
export type ServiceListingKind = 'server' | 'bot';

/** A custom emoji of a listed server. The document does not define the element type; this service chose it. */
const serverEmojiSchema = z.object({ id: z.string(), name: z.string(), animated: z.boolean() });

/** The properties that only servers have (document, section 2.2), as stored in the column `facts_json`. */
export const serverFactsSchema = z.object({
  category: z.string(),
  features: z.array(z.string()).readonly(),
  emojis: z.array(serverEmojiSchema.readonly()).readonly(),
  channelCount: z.number(),
  roleCount: z.number(),
  rules: z.array(z.string()).readonly(),
  members: z.number(),
  online: z.number(),
});

/** More than any bot has. */
export const maxServers = 100_000_000;
export const maxShards = 100_000;

/** The properties that only bots have (document, section 2.3), as stored in the column `facts_json`. */
export const botFactsSchema = z.object({ servers: z.number(), shards: z.number() });

/** The properties that only servers have. */
export type ServerFacts = Readonly<z.infer<typeof serverFactsSchema>>;
/** The properties that only bots have. */
export type BotFacts = Readonly<z.infer<typeof botFactsSchema>>;

/** The properties that servers and bots have in common. */
export interface CommonListing {
  /** The Discord id of the server or bot, used as the id of the listing. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The Discord id of the user who may see and edit the dashboard. */
  readonly ownerId: string;
  /** Creation time of the listing (ms since the epoch). */
  readonly createdAt: number;
}

/** The listing of a server. */
export type ServerListing = CommonListing & { readonly kind: 'server'; readonly facts: ServerFacts };
/** The listing of a bot. */
export type BotListing = CommonListing & { readonly kind: 'bot'; readonly facts: BotFacts };
/** A listing of the service: a server or a bot, by `kind`. */
export type Listing = ServerListing | BotListing;

/** The path of a listing's public page: `/servers/:id` or `/bots/:id`. */
export function pagePath(listing: Pick<Listing, 'kind' | 'id'>): string {
  return `/${listing.kind}s/${listing.id}`;
}
