import { systemClock } from '@tallyhook/platform/clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { setup as setupCommand } from '../commands/setup.ts';
import { lastVoteIn, withVote } from '../src/core/ledger/account.ts';
import type { OptionValue, Panel, Reply } from '../src/discord/commands/reply.ts';
import { openStore } from '../src/features/store.ts';
import { contextFor, fakeLookup, inputOf } from './support/command-fixture.ts';
import { firstCommunity } from './support/communities.ts';
import { guildCommands } from './support/guild-commands.ts';
import { environmentWith, harbour, issuesOf } from './support/listings-file.ts';
import { newSqliteUrl } from './support/new-sqlite.ts';
import { startOwnerServer } from './support/owner-server.ts';
import { setupServicesOver } from './support/setup-over.ts';

/*
 * Names that every object literal inherits. A lookup of a name from outside must not find them: they are functions, and
 * the program would fail or show them.
 */
const names = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'];
const guildId = '100000000000000001';

/** JSON of an object with this property, also for `__proto__`. */
const objectWith = (name: string, value: unknown) => `{${JSON.stringify(name)}:${JSON.stringify(value)}}`;

/** `/setup` of a manager, with the listing `harbour` of the operator's file, over a database. */
async function startSetup() {
  const store = await openStore(newSqliteUrl(), systemClock, { thread: false });
  onTestFinished(() => store.close());
  const checks = { channelsOf: async () => new Set<string>() };
  const setup = setupServicesOver(store, { checks, environment: environmentWith([{ ...harbour, guildId }]) });
  const standings = store.standingsIn(firstCommunity, 'UTC');
  const context = { ...contextFor({ name: 'harbour', lookup: fakeLookup('server', {}) }), setup, standings };
  let interactions = 0;
  return (action: string | null, options: Record<string, OptionValue>, fields: Record<string, string> = {}) => {
    interactions += 1;
    const changes = { action, fields, isManager: true, interactionId: `interaction ${interactions}` };
    return setupCommand.execute(inputOf(options, changes), context);
  };
}

/** What a member sees of it. Functions are not JSON. */
const shown = (result: unknown) => JSON.stringify(result as Panel | Reply);

describe('a name that every object inherits', () => {
  it('is not a setting in an import of /setup', async () => {
    const execute = await startSetup();
    for (const name of names) {
      const listings = [
        objectWith(name, 1),
        `{"name":"harbour","rewards":${objectWith(name, 1)}}`,
        `{"name":"harbour","announcements":${objectWith(name, { [name]: 1 })}}`,
        `{"name":"harbour","shop":[${objectWith(name, 1)}]}`,
        `{"name":"harbour","rewards":{"premiumRoles":${objectWith(name, name)}}}`,
        `{"name":${JSON.stringify(name)},"kind":${JSON.stringify(name)},"id":${JSON.stringify(name)}}`,
      ];
      for (const listing of listings) {
        const result = await execute('imported', { l: 'harbour' }, { settings: `{"listings":[${listing}]}` });
        expect(shown(result), listing).toContain('Not saved yet');
        expect(shown(result), listing).not.toContain('[native code]');
      }
    }
  });

  it('is not an action, a listing, a section, a form or a variant of /setup', async () => {
    const execute = await startSetup();
    for (const name of names) {
      expect(shown(await execute(name, { l: 'harbour' }))).toContain('Settings of this server');
      for (const action of [
        'section',
        'edit',
        'again',
        'entry',
        'submit',
        'reset',
        'rotate',
        'drop',
        'preset',
        'undo',
      ]) {
        const options = { l: 'harbour', s: name, f: name, k: name, y: name, p: name, id: name, e: name, v: name };
        const result = shown(await execute(action, action === 'drop' ? { l: name, y: name } : options));
        expect(result, `${action} ${name}`).not.toMatch(/native code|undefined/);
      }
    }
  });

  it('is not a setting in the file of TALLYHOOK_CONFIG', () => {
    for (const name of names.filter((each) => each !== '__proto__')) {
      const files = [
        { ...harbour, [name]: 1 },
        { ...harbour, rewards: { [name]: 1 } },
        { ...harbour, announcements: { [name]: 1 } },
        { ...harbour, announcements: { text: `{${name}}` } },
        { ...harbour, shop: [{ id: 'vip', name: 'VIP', price: 1, [name]: 1 }] },
        { ...harbour, kind: name },
      ];
      for (const file of files) expect(issuesOf(environmentWith([file])), JSON.stringify(file)).not.toEqual([]);
    }
  });

  it('is neither a command, an option nor an action of one', async () => {
    const guild = '700000000000000001';
    const { run, press } = await guildCommands([{ ...harbour, guildId: guild }]);
    const sender = { guildId: guild, userId: '200000000000000001', isManager: true };
    for (const name of names) {
      const choices = { listing: name, period: name, by: name, state: name, action: name, sort: name };
      for (const command of ['credits', 'leaderboard', 'shop', 'privacy', 'remind', 'help']) {
        const options = command === 'privacy' ? { action: name } : choices;
        expect((await run(sender, command, options)).text, `${command} ${name}`).not.toMatch(/went wrong|native code/);
      }
      for (const id of [
        `${name}:`,
        `shop/${name}:`,
        `shop/buy:item=${name}`,
        `leaderboard:by=${name}&period=${name}`,
      ]) {
        expect((await press(sender, `tallyhook:${id}`)).text, id).not.toMatch(/went wrong|native code/);
      }
    }
  });

  it('is not a parameter of the owner API', async () => {
    const { request, lines } = await startOwnerServer();
    for (const name of names) {
      const query = [name, `outcome=${name}`, `state=${name}`, `period=${name}`, `by=${name}`, `guildId=${name}`];
      for (const path of ['/summary', '/deliveries', '/effects', '/leaderboard', '/users/42', `/users/${name}`]) {
        for (const each of query) {
          const { status } = await request(`${path}?${each.includes('=') ? each : `${each}=1`}`);
          expect(status, `${path}?${each}`).toBeLessThan(500);
        }
      }
    }
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('can be the name of a listing, as any other', () => {
    for (const name of names) {
      const votes = withVote(withVote({}, name, 5), name, 7);
      expect(lastVoteIn(votes, name)).toBe(7);
      expect(lastVoteIn(votes, [name, 'other'])).toBe(7);
      expect(lastVoteIn({}, name)).toBe(null);
    }
  });
});
