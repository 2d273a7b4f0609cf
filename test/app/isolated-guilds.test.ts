import { DatabaseSync } from 'node:sqlite';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { queryValue } from '@tallyhook/platform/testing/query-value';
import { readRows, type StoredRow } from '@tallyhook/platform/testing/read-rows';
import { ApplicationCommandOptionType } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { commands } from '../../commands/index.ts';
import { type CommunityId, noCommunity } from '../../src/core/ledger/account.ts';
import { parseQueue } from '../../src/core/outbox/queue.ts';
import type { CommandOption } from '../../src/discord/commands/command.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { guildCommands, type Received, type Sender } from '../support/guild-commands.ts';
import { recordVote, voteFor } from '../support/record-vote.ts';
import { shout } from '../support/shop-store.ts';

const [guildA, guildB] = ['700000000000000001', '700000000000000002'];
const [thief, victim, managerOfB, loner, blocked] = [
  '200000000000000001',
  '200000000000000002',
  '200000000000000003',
  '200000000000000004',
  '200000000000000005',
];
const listing = (name: string, guildId: string) => ({
  ...{ name, guildId, kind: 'server', lookupKey: `key-of-${name}`, ownerChannelId: guildId.replace('7', '5') },
  shop: [{ id: 'lamp', name: `A lamp of the ${name}`, price: 10, manual: true }],
  rewards: { party: { goal: 100, per: 'week', credits: 25 } },
  guards: { blocked: [blocked] },
});

/** Both guilds have everything: members with votes, credits, purchases and reminders. */
async function startGuilds() {
  const started = await guildCommands([listing('harbour', guildA), listing('island', guildB)], ['harbour', 'island']);
  const { store, directory, databaseUrl } = started;
  const idOf = (guildId: string): CommunityId => directory.ofGuild(guildId)?.id ?? noCommunity;
  const idB = idOf(guildB);
  for (const [name, guildId, userId] of [
    ['harbour', guildA, thief],
    ['harbour', guildA, victim],
    ['harbour', guildA, loner],
    // With credits to spend in the second guild, but not from the first one.
    ['island', guildB, thief],
    ['island', guildB, victim],
  ] as const) {
    const voted = directory.find(name);
    if (voted === undefined) throw new Error('no listing');
    await recordVote(store, voted, userId, Date.now());
    const communityId = idOf(guildId);
    const correction = { communityId, userId, credits: 500, reason: 'deposit', at: Date.now(), author: managerOfB };
    await store.recorder.correct(correction, `deposit ${name} ${userId}`);
    const member = { userId, roles: [] };
    const order = { confirmationId: `${name} ${userId}`, member, item: { ...shout, id: 'lamp' }, confirmedPrice: 50 };
    await store.shop.purchase({ ...order, communityId, guildId, ownerChannelId: null, isReady: true }, Date.now());
  }

  /** The id of a vote that the guards have refused. */
  async function refuseVote(name: string): Promise<string> {
    const listing = directory.find(name);
    if (listing === undefined) throw new Error('no listing');
    const [receivedAt, family] = [Date.now(), 'vote'] as const;
    const body = JSON.stringify({
      event: 'server_vote',
      userId: blocked,
      timestamp: new Date(receivedAt).toISOString(),
    });
    const event = voteFor(listing, blocked, receivedAt);
    return String(
      (await store.recorder.record({ receivedAt, family, body }, { type: 'event', listing, event })).deliveryId,
    );
  }
  await refuseVote('harbour');
  const refusedInB = await refuseVote('island');

  const database = new DatabaseSync(sqlitePathOf(databaseUrl) ?? '', { readOnly: true });
  onTestFinished(() => database.close());
  let read: { readonly version: unknown; readonly rows: readonly string[] } = { version: null, rows: [] };

  /** Every row of the second guild. They are read again only when somebody has written to the database. */
  async function rowsOfB(): Promise<readonly string[]> {
    const version = queryValue(database, 'PRAGMA data_version');
    if (version !== read.version) read = { version, rows: await readRowsOfB() };
    return read.rows;
  }

  async function readRowsOfB(): Promise<readonly string[]> {
    const rows: string[] = [];
    for (const { name } of await readRows(databaseUrl, "sqlite_master where type = 'table'")) {
      if (!name || name.startsWith('sqlite_')) continue;
      for (const row of await readRows(databaseUrl, `"${name}"`))
        if (Object.entries(row).some(([column, value]) => isOfB(column, value)))
          rows.push(`${name} ${JSON.stringify(row)}`);
    }
    return rows.sort();
  }

  function isOfB(column: string, value: StoredRow[string] | undefined): boolean {
    // What somebody has written, whomever it names.
    if (value === null || value === undefined || column === 'reason') return false;
    if (column === 'community_id') return value === String(idB);
    if (column === 'account_id') return value.startsWith(`${idB}:`);
    if (column === 'queue') return parseQueue(value).communityId === idB;
    if (column === 'period') return value.startsWith(`${idB} `);
    return value.includes(guildB) || /\bisland\b/.test(value);
  }

  /** What the members of the second guild see. */
  async function answersOfB(): Promise<readonly string[]> {
    const member: Sender = { guildId: guildB, userId: victim };
    const manager: Sender = { guildId: guildB, userId: managerOfB, isManager: true };
    const shown = ['credits', 'leaderboard', 'shop', 'vote', 'help'].map((name) => started.run(member, name));
    const answers = await Promise.all([...shown, started.run(manager, 'trace', { user: victim })]);
    return answers.map(({ text }) => text.replace(/<t:\d+/g, '<t:'));
  }

  return { ...started, refusedInB, rowsOfB, answersOfB };
}

/** Values of an option, among them those of the second guild. Nobody is forgotten yet. */
function valuesOf(option: CommandOption): readonly (string | number)[] {
  switch (option.type) {
    case ApplicationCommandOptionType.User:
      return [victim, thief, blocked];
    case ApplicationCommandOptionType.Integer:
      return [7, 1];
    default: {
      const choices = 'choices' in option ? (option.choices ?? []).map(({ value }) => value) : [];
      return [...choices.filter((value) => value !== 'forget'), 'island', 'harbour'];
    }
  }
}

/** As a member of the first guild would forge it, to reach the second one. */
function forgeries(customId: string) {
  const [route = '', options = ''] = customId.split(/:(?=[^:]*$)/);
  const forged = options.replace(/\bharbour\b/g, 'island').replaceAll(guildA, guildB);
  const named = [`community=${guildB}`, options].filter((part) => part !== '').join('&');
  return [...new Set([customId, `${route}:${forged}`, `${route}:${named}`])];
}

it('a member and a manager of one guild change nothing of another one with any command, button or select', {
  timeout: 120_000,
}, async () => {
  const world = await startGuilds();
  const { run, press, choose, contexts, refusedInB, rowsOfB, answersOfB } = world;
  const [rows, answers] = [await rowsOfB(), await answersOfB()];
  expect(rows.length).toBeGreaterThan(5);
  const description = { ...contexts.offer(), texts: textsIn('en-US') };
  const pressed = new Set<string>();

  /** Uses all that is offered, and what that offers, with the ids of both guilds. */
  async function follow(sender: Sender, { ids, values }: Received, depth = 0): Promise<void> {
    // What is stored of a member is that of all guilds.
    const own = ids.filter((id) => !id.includes('privacy/') || sender.userId === loner);
    for (const customId of own.flatMap((id) => forgeries(id))) {
      const key = `${sender.isManager} ${customId}`;
      if (pressed.has(key) || depth > 4) continue;
      pressed.add(key);
      const selections = values.length === 0 ? [] : [values.slice(0, 1), ['island'], [guildB], [refusedInB]];
      for (const chosen of [undefined, ...selections]) {
        await follow(sender, await press(sender, customId, chosen), depth + 1);
      }
      expect(await rowsOfB(), customId).toEqual(rows);
    }
  }

  const senders: readonly Sender[] = [
    { guildId: guildA, userId: thief },
    { guildId: null, userId: loner },
    { guildId: guildA, userId: thief, isManager: true },
  ];
  for (const sender of senders) {
    const offered = commands.filter(({ name }) => name !== 'privacy' || sender.userId === loner);
    for (const command of offered) {
      const { options } = command.describe(description);
      const choices = options.map((option) => [option.name, valuesOf(option)] as const);
      for (let turn = 0; turn < Math.max(1, ...choices.map(([, values]) => values.length)); turn += 1) {
        const chosen = Object.fromEntries(choices.map(([name, values]) => [name, values[turn % values.length] ?? '']));
        await follow(sender, await run(sender, command.name, chosen));
        expect(await rowsOfB(), `/${command.name} ${JSON.stringify(chosen)}`).toEqual(rows);
      }
      if (command.menu === undefined) continue;
      await follow(sender, await choose(sender, command.menu(textsIn('en-US')), victim));
      expect(await rowsOfB(), command.menu(textsIn('en-US'))).toEqual(rows);
    }
  }
  // Last, because nothing is left of the member then.
  await follow(
    { guildId: guildA, userId: thief },
    await run({ guildId: null, userId: thief }, 'privacy', { action: 'forget' }),
  );
  expect([...pressed].join()).toContain('trace/pay');
  expect(pressed.size).toBeGreaterThan(20);
  expect(await answersOfB()).toEqual(answers);
});
