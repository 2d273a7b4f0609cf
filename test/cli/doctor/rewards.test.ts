import { DatabaseSync } from 'node:sqlite';
import { day, hour } from '@tallyhook/platform/durations';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import type { ListingConfig } from '../../../config/schema.ts';
import { checkRewards } from '../../../src/cli/doctor/database.ts';
import { checkRoles, evaluateRoles, rolesByGuild } from '../../../src/cli/doctor/discord.ts';
import { openSnapshot } from '../../../src/core/store/snapshots/snapshot.ts';
import { fetchBotIdentity } from '../../../src/discord/inspection.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { plainAnnouncements } from '../../../src/features/settings.ts';
import { createDatabaseWithVotes, voteTime } from '../../support/database-with-votes.ts';
import { serverAndBot } from '../../support/listings.ts';
import { localDiscord } from '../../support/local-discord.ts';

/** What doctor finds in the rewards of a database after these statements. */
async function findingsAfter(...statements: readonly string[]): Promise<string[]> {
  const path = `${tempDir()}/tally.db`;
  await createDatabaseWithVotes(`sqlite:${path}`, ['1', '2']);
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
  const snapshot = await openSnapshot(`sqlite:${path}`);
  try {
    return (await checkRewards(snapshot, voteTime + day)).map(({ level, message }) => `${level}: ${message}`);
  } finally {
    await snapshot.close();
  }
}

describe('doctor, in the rewards', () => {
  it('finds nothing in a ledger without repeated achievements', async () => {
    expect(await findingsAfter("UPDATE entries SET achievement = 'milestone 1'")).toEqual([
      'pass: No achievement was paid twice.',
    ]);
  });

  it('finds an achievement that was paid twice', async () => {
    const insert = `INSERT INTO entries (account_id, credits, cause, at, achievement) VALUES ('1:1', 5, 'milestone', 0, 'milestone 1')`;
    expect(await findingsAfter(insert, insert)).toEqual([
      'fail: 1 achievement was paid more than once: user 1 of community 1 "milestone 1" 2 times.',
    ]);
  });

  it('finds roles that Discord rejected, and long outages', async () => {
    const grant = (userId: string, state: string) =>
      `INSERT INTO grants (user_id, role, source, guild_id, state) VALUES ('${userId}', '7', 'voter', '6', '${state}')`;
    const outage = (from: number, ms: number) => `INSERT INTO outages VALUES (${from}, ${from + ms})`;
    const findings = await findingsAfter(
      grant('1', 'parked'),
      grant('2', 'parked'),
      grant('3', 'applied'),
      outage(voteTime, 7 * hour),
      outage(voteTime + 8 * hour, hour),
      outage(voteTime - 60 * day, day),
    );
    expect(findings).toEqual([
      'pass: No achievement was paid twice.',
      expect.stringMatching(/^warn: 2 roles .* 7 \(2 members\)/),
      expect.stringMatching(/^warn: .* 1 time in the last 30 days, the last until 17 hours ago/),
    ]);
  });
});

describe('doctor, in the roles', () => {
  const [server] = serverAndBot();
  const listing = (guildId: string, ...roles: readonly string[]): ListingConfig => {
    if (server === undefined) throw new Error('no listing');
    const milestones = roles.map((role, index) => {
      return { votes: index + 1, repeats: 'once' as const, credits: 0, role };
    });
    const rewards = { ...server.rewards, milestones };
    const others = {
      title: null,
      timeZone: 'UTC',
      ownerChannelId: null,
      announcements: plainAnnouncements,
      shop: [],
      lookupKey: null,
    };
    return { ...server, ...others, guildId, rewards };
  };

  it('says of each role why it cannot be given', () => {
    const roles = new Map([
      ['1', 'below'],
      ['2', 'above'],
      ['3', 'managed'],
      ['5', 'below'],
    ] as const);
    const access = { roles, ownerId: '9', positions: new Map(), moderating: new Set(['5']) };
    const names = new Map(['1', '2', '3', '5'].map((id) => [id, `Role ${id}`]));
    const evaluate = (ids: readonly string[], mayManageRoles = true) =>
      evaluateRoles('6', new Set(ids), { ...access, names, guildName: 'Lantern Harbour', mayManageRoles }).map(
        ({ level, message }) => `${level}: ${message}`,
      );
    expect(evaluate(['1'])).toEqual(['pass: The bot can give all configured roles in "Lantern Harbour".']);
    expect(evaluate(['1'], false)).toEqual([expect.stringMatching(/^fail: .*missing Manage Roles/)]);
    expect(evaluate(['1', '2', '3', '4', '5'])).toEqual([
      expect.stringMatching(/^fail: @Role 2 \(2\) is not below/),
      expect.stringMatching(/^fail: @Role 3 \(3\) is managed/),
      expect.stringMatching(/^fail: The role 4 does not exist/),
      expect.stringMatching(/^fail: @Role 5 \(5\) has permissions of a moderator/),
    ]);
  });

  it('asks only for guilds with roles', () => {
    expect([...rolesByGuild([listing('6'), listing('7', '1', '2')])]).toEqual([['7', new Set(['1', '2'])]]);
  });

  it('reads the roles from Discord', async () => {
    const discord = await localDiscord();
    const rest = createDiscordRest(discord);
    const { userId } = await fetchBotIdentity(rest);
    const findings = await checkRoles(rest, userId, rolesByGuild([listing(discord.guildId, '404')]));
    expect(findings.map(({ message }) => message)).toContainEqual(expect.stringMatching(/role 404 does not exist/));
    const elsewhere = await checkRoles(rest, userId, rolesByGuild([listing('404', '1')]));
    expect(elsewhere).toMatchObject([{ level: 'fail', message: expect.stringContaining('not in the guild 404') }]);
  });
});
