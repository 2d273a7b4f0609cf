import { z } from 'zod';
import type { CommunityPath, ListingPath, SecretPath } from '../src/core/settings/setting-paths.ts';
import { itemOfCodes } from '../src/core/settings/setting-paths.ts';
import { id, timeZone } from '../src/core/settings/value-schemas.ts';
import { messageFor } from '../src/platform/schema-messages.ts';
import { announcements } from './announcements-file.ts';
import { listing } from './listings-file.ts';
import { rewards } from './rewards-file.ts';
import { apiKey } from './settings.ts';
import { storedCodes, storedShop } from './shop-file.ts';

const expectedSecret = 'it must have 8 to 512 characters, without spaces around them';
const secret = z
  .string(expectedSecret)
  .min(8, expectedSecret)
  .max(512, expectedSecret)
  .refine((text) => text.trim() === text, expectedSecret);

/** Secrets that are valid at once. */
const maxSecrets = 5;
const secrets = z.array(secret).max(maxSecrets, `it must have at most ${maxSecrets} secrets`);

const listingSchemas: Readonly<Record<ListingPath | SecretPath, z.ZodType>> = {
  lookupKey: apiKey,
  voteSecrets: secrets,
  premiumSecrets: secrets,
  announceChannelId: id.nullable(),
  premiumChannelId: id.nullable(),
  cooldownHours: required(listing.shape.cooldownHours),
  'rewards.vote': required(rewards.shape.vote),
  'rewards.premium': required(rewards.shape.premium),
  'rewards.whenDenied': required(rewards.shape.whenDenied),
  'rewards.multipliers': required(rewards.shape.multipliers),
  'rewards.milestones': required(rewards.shape.milestones),
  'rewards.milestoneRoles': required(rewards.shape.milestoneRoles),
  'rewards.voterRole': rewards.shape.voterRole.unwrap().nullable(),
  'rewards.premiumRoles': required(rewards.shape.premiumRoles),
  'rewards.allListings': required(rewards.shape.allListings),
  'announcements.mode': required(announcements.shape.mode),
  'announcements.every': required(announcements.shape.every),
  'announcements.title': announcements.shape.title.unwrap().nullable(),
  'announcements.text': announcements.shape.text.unwrap().nullable(),
  'announcements.colour': announcements.shape.colour.unwrap().nullable(),
  'announcements.thumbnail': announcements.shape.thumbnail.unwrap().nullable(),
  'announcements.voteButton': required(announcements.shape.voteButton),
  'announcements.reviews': required(announcements.shape.reviews),
  'announcements.milestones': required(announcements.shape.milestones),
  'announcements.premium': required(announcements.shape.premium),
  'announcements.party': required(announcements.shape.party),
  'announcements.lostStreaks': required(announcements.shape.lostStreaks),
  'announcements.language': announcements.shape.language.unwrap().nullable(),
};

const communitySchemas: Readonly<Record<CommunityPath, z.ZodType>> = {
  timeZone,
  ownerChannelId: id.nullable(),
  'rewards.streak': rewards.shape.streak.unwrap().nullable(),
  'rewards.party': rewards.shape.party.unwrap().nullable(),
  shop: storedShop,
};

const link = z.strictObject({ kind: z.enum(['server', 'bot']), id: id.nullable() });
export type Link = z.infer<typeof link>;

/** A listing that was linked in Discord; null if the value is not one. */
export function parseLink(value: unknown): Link | null {
  return link.safeParse(value).data ?? null;
}

/** The value as a listing of the file has it, or what is wrong: rests of sentences that begin with the path. */
export type ParsedSetting =
  | { readonly valid: true; readonly value: unknown }
  | { readonly valid: false; readonly problems: readonly string[] };

/** Validates a value, which may be secret: the problems do not contain it. @param listing empty for the community */
export function parseSetting(listing: string, path: string, value: unknown): ParsedSetting {
  const schema = schemaAt(listing, path);
  if (schema === undefined) return { valid: false, problems: ['is not a setting that can be changed.'] };
  const result = schema.safeParse(value, { error: messageFor });
  if (result.success) return { valid: true, value: result.data };
  const problems = result.error.issues.map(({ path: position, message }) =>
    position.length === 0 ? `is invalid: ${message}.` : `is invalid at ${position.join('.')}: ${message}.`,
  );
  return { valid: false, problems };
}

function schemaAt(listingName: string, path: string): z.ZodType | undefined {
  if (listingName === '' && itemOfCodes(path) !== null) return storedCodes;
  const schemas: Readonly<Record<string, z.ZodType>> = listingName === '' ? communitySchemas : listingSchemas;
  if (listingName !== '' && path === 'link') return link;
  return Object.hasOwn(schemas, path) ? schemas[path] : undefined;
}

/** The schema of a value that is not left out. */
function required<Schema extends z.ZodType>(schema: z.ZodOptional<Schema>): Schema {
  return schema.unwrap();
}
