import type { Listing } from '../service/listing/listing.ts';
import { seededBot, seededServer } from '../service/seed/listings.ts';
import type { RunningService } from '../service/service.ts';

/** The server and the bot that are voted for. */
export interface SandboxListings {
  readonly server: Listing;
  readonly bot: Listing;
}

/** The seeded listings, with their votes and reviews; or, where nothing was seeded, the same two without any. */
export async function ensureListings(service: RunningService): Promise<SandboxListings> {
  if (service.seeded !== null) return service.seeded;
  const existing = await service.listings();
  async function ensureListing({ id, ...listing }: typeof seededServer | typeof seededBot): Promise<Listing> {
    const found = existing.find((listing) => listing.id === id);
    return found ?? (await service.createListing({ ...listing, discordId: id })).listing;
  }
  return { server: await ensureListing(seededServer), bot: await ensureListing(seededBot) };
}
