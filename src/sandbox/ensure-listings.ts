import type { Listing } from '../service/listing/listing.ts';
import { seededBot, seededServer } from '../service/seed/listings.ts';
import type { RunningService } from '../service/service.ts';

/** The server and the bot that are voted for. */
export interface Community {
  readonly server: Listing;
  readonly bot: Listing;
}

/** The seeded listings, with their votes and reviews; or, where nothing was seeded, the same two without any. */
export async function ensureListings(service: RunningService): Promise<Community> {
  if (service.seeded !== null) return service.seeded;
  const known = await service.listings();
  async function listed({ id, ...bare }: typeof seededServer | typeof seededBot): Promise<Listing> {
    const found = known.find((listing) => listing.id === id);
    return found ?? (await service.createListing({ ...bare, discordId: id })).listing;
  }
  return { server: await listed(seededServer), bot: await listed(seededBot) };
}
