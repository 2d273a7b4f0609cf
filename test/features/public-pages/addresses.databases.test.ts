import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { createAddresses } from '../../../src/features/public-pages/addresses.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { openLedger } from '../../support/voting.ts';

const guildIds = ['700000000000000001', '700000000000000002', '700000000000000003'] as const;
type GuildId = (typeof guildIds)[number];
const slugs = ['aaa', 'bbb', 'ccc', 'ddd', 'eee'] as const;

function listingOf(guildId: GuildId, slug: string | null) {
  const own = { name: `of-${guildId}`, id: guildId, guildId, lookupKey: `key-${guildId}` };
  return loadConfig(environmentWith([{ ...harbour, ...own, ...(slug !== null && { publicPage: { slug } }) }])).listings;
}

/** Two processes with the same settings and database. */
async function openWorld(url: string) {
  const clock = manualClock(Date.UTC(2026, 10, 1));
  const store = await openLedger(url, storeClock(clock));
  const listings = guildIds.flatMap((guildId) => listingOf(guildId, null));
  const { of } = await prepareCommunities(store.communityIds, listings);
  const processes = [0, 1].map(() => {
    const directory = createDirectory(listings, of);
    return { directory, addresses: createAddresses({ store, directory, clock }) };
  });
  const configure = (guildId: GuildId, slug: string | null) => {
    for (const { directory } of processes) directory.replace(new Map([[guildId, listingOf(guildId, slug)]]));
  };
  function addressesOf(index: number) {
    const found = processes[index];
    if (found === undefined) throw new Error('There is no such process.');
    return found.addresses;
  }
  return { clock, configure, addressesOf };
}

/** What each guild wants, and whose each address is: slow and obvious. */
function createModel() {
  const wanted = new Map<GuildId, string>();
  let taken: readonly { readonly slug: string; readonly by: GuildId }[] = [];

  function holderOf(slug: string, ifFree: GuildId): GuildId {
    const holder = taken.find((each) => each.slug === slug)?.by;
    if (holder !== undefined) return holder;
    taken = [...taken, { slug, by: ifFree }];
    const own = taken.filter(({ by }) => by === ifFree);
    // It keeps the newest three.
    if (own.length > 3) taken = taken.filter((each) => each !== own[0]);
    return ifFree;
  }
  const wanting = (slug: string) => guildIds.filter((guildId) => wanted.get(guildId) === slug);

  return {
    wanted,
    at(slug: string): GuildId | null {
      const all = wanting(slug);
      const [first] = all;
      if (first === undefined) return null;
      const holder = holderOf(slug, first);
      return all.includes(holder) ? holder : null;
    },
    mayHave: (guildId: GuildId, slug: string) => holderOf(slug, wanting(slug)[0] ?? guildId) === guildId,
  };
}

const process = fc.integer({ min: 0, max: 1 });
const guild = fc.constantFrom(...guildIds);
const slug = fc.constantFrom(...slugs);
const step = fc.oneof(
  // `/setup` saves an address if nothing is against it; the operator's file does not ask.
  fc.record({ do: fc.constantFrom('save', 'file'), process, guild, slug }),
  fc.record({ do: fc.constant('remove' as const), process, guild, slug }),
  fc.record({ do: fc.constant('visit' as const), process, guild, slug }),
);

describeOnEveryDatabase('addresses of public pages', (newUrl) => {
  it('are those of the first community that wanted them, whatever others enter, and in every process', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60, size: 'max' }), async (steps) => {
        const { clock, configure, addressesOf } = await openWorld(newUrl());
        const model = createModel();
        for (const { do: what, process: index, guild: guildId, slug: at } of steps) {
          await clock.advance(1_000);
          const addresses = addressesOf(index);
          if (what === 'visit') {
            expect((await addresses.find(at))?.guildId ?? null).toBe(model.at(at));
            continue;
          }
          if (what === 'save') {
            const issues = await addresses.issuesOf(guildId, new Map([['publicPage', { slug: at }]]));
            const isFree = model.mayHave(guildId, at);
            expect(issues.length === 0).toBe(isFree);
            if (!isFree) continue;
          }
          if (what === 'remove') model.wanted.delete(guildId);
          else model.wanted.set(guildId, at);
          configure(guildId, what === 'remove' ? null : at);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('that several want at once is given to one of them', async () => {
    const { configure, addressesOf } = await openWorld(newUrl());
    const values = new Map([['publicPage', { slug: 'aaa' }]]);
    const issues = await Promise.all(
      guildIds.map((guildId, index) => addressesOf(index % 2).issuesOf(guildId, values)),
    );
    expect(issues.filter(({ length }) => length === 0)).toHaveLength(1);
    for (const guildId of guildIds) configure(guildId, 'aaa');
    const winner = guildIds[issues.findIndex(({ length }) => length === 0)];
    expect((await addressesOf(0).find('aaa'))?.guildId).toBe(winner);
  });
});
