import { systemClock } from '@tallyhook/platform/clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { seededMembers } from 'listing-service';
import { type GeneratedListing, generate } from '../../packages/listing-service/src/generate/generate.ts';
import { openDatabase } from '../../packages/listing-service/src/storage/database.ts';

export const voters = seededMembers.slice(0, 6);

/** A database with listings for which nobody has voted. */
export async function createListings(count: number) {
  const address = `sqlite:${tempDir()}/service.db`;
  const listings: GeneratedListing[] = [];
  const database = await openDatabase(address);
  await generate(database, {
    population: { listings: count, members: 0, votes: 0, reviews: 0 },
    now: systemClock.now(),
    signal: new AbortController().signal,
    onListing: (listing) => listings.push(listing),
    onProgress: () => {},
  });
  await database.destroy();
  return { address, listings };
}

/** Signs a member in; the returned function votes at any process of the same database. */
export async function voterAt(url: string, userId: string) {
  const form = { method: 'POST', redirect: 'manual', body: new URLSearchParams({ userId }) } as const;
  const signedIn = await fetch(`${url}/sign-in`, form);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await (await fetch(`${url}/`, { headers: { cookie } })).text();
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  return async (at: string, { kind, id }: GeneratedListing): Promise<string> => {
    const response = await fetch(`${at}/${kind}s/${id}/vote`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams({ token }),
    });
    return response.headers.get('location') ?? `${response.status} ${await response.text()}`;
  };
}

export async function countVotes(address: string): Promise<number> {
  const database = await openDatabase(address);
  const ids = voters.map(({ userId }) => userId);
  const rows = await database.selectFrom('votes').select('id').where('user_id', 'in', ids).execute();
  await database.destroy();
  return rows.length;
}
