import { systemClock } from '@tallyhook/platform/clock';
import { expect, it } from 'vitest';
import type { SettingsAuthor } from '../../../src/features/settings/community.ts';
import type { Settings } from '../../../src/features/settings/settings.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { setupOver } from '../../support/setup-over.ts';
import { openLedger } from '../../support/voting.ts';

const guildId = '700000000000000001';
const target = { kind: 'server', targetId: guildId, voteSecret: null } as const;

describeOnEveryDatabase('linking', (newUrl) => {
  let interactions = 0;
  const author = (): SettingsAuthor => {
    interactions += 1;
    return { guildId, authorId: String(interactions), interactionId: `interaction ${interactions}` };
  };

  /** `/setup` in two processes with one database. */
  async function startTwo(): Promise<readonly [Settings, Settings]> {
    const url = newUrl();
    const start = async () => setupOver(await openLedger(url, systemClock));
    return [await start(), await start()];
  }

  const statusOf = (result: Awaited<ReturnType<Settings['link']>>) =>
    result.status === 'linked' ? 'linked' : result.issues.map(({ code }) => code).join();

  it('a server at once in two processes links it once', async () => {
    const both = await startTwo();
    const links = Array.from({ length: 6 }, (_, index) =>
      both[index % 2 === 0 ? 0 : 1].link({ ...author(), ...target, lookupKey: `key-${index}` }),
    );
    const statuses = (await Promise.all(links)).map(statusOf);
    expect(statuses.toSorted()).toEqual([...Array.from({ length: 5 }, () => 'already_linked'), 'linked']);
    expect((await both[0].read(guildId)).listings).toHaveLength(1);
  });

  it('listings at once with one API key, of which no id is known, links one of them', async () => {
    const both = await startTwo();
    const links = both.map((setup) =>
      setup.link({ ...author(), ...target, kind: 'bot', targetId: null, lookupKey: 'one-key' }),
    );
    expect((await Promise.all(links)).map(statusOf).toSorted()).toEqual(['already_linked', 'linked']);
  });

  it('different servers at once links all of them', async () => {
    const both = await startTwo();
    const links = Array.from({ length: 6 }, (_, index) =>
      both[index % 2 === 0 ? 0 : 1].link({
        ...author(),
        ...target,
        targetId: `${index + 1}`,
        lookupKey: `key-${index}`,
      }),
    );
    expect((await Promise.all(links)).map(statusOf)).toEqual(Array.from({ length: 6 }, () => 'linked'));
  });

  it('a server while its unlinking is undone leaves one listing', async () => {
    const [one, two] = await startTwo();
    const linked = await one.link({ ...author(), ...target, lookupKey: 'key-1' });
    if (linked.status !== 'linked') throw new Error('not linked');
    const unlinked = await one.unlink({ ...author(), listing: linked.listing.name });
    const changeId = unlinked.status === 'saved' ? unlinked.change.id : 0;
    const [undone, again] = await Promise.all([
      one.undo({ ...author(), changeId }),
      two.link({ ...author(), ...target, lookupKey: 'key-2' }),
    ]);
    expect([undone.status, again.status].filter((status) => status === 'invalid')).toHaveLength(1);
    expect((await two.read(guildId)).listings).toHaveLength(1);
  });
});
