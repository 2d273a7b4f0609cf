import { expect, it } from 'vitest';
import { issuesOfRoles } from '../../commands/setup/imported-roles.ts';
import { isModerating } from '../../src/discord/roles/moderating.ts';
import { memorySetupServices } from '../support/setup-store.ts';

const [ordinary, above, managed, moderator] = ['11', '12', '13', '14'];

async function check(listing: object, isReachable = true) {
  const access = {
    mayManageRoles: true,
    roles: new Map([
      [ordinary, 'below'],
      [above, 'above'],
      [managed, 'managed'],
      [moderator, 'below'],
    ] as const),
    moderating: new Set([moderator]),
  };
  const services = memorySetupServices({ roleAccess: async () => (isReachable ? access : null) });
  return issuesOfRoles({ services, guildId: '1' }, JSON.stringify({ listings: [{ name: 'server', ...listing }] }));
}

it('accepts only roles of the guild that the bot can give, without permissions of a moderator', async () => {
  const rewards = { voterRole: { role: ordinary, for: '12h' }, premiumRoles: { '*': ordinary } };
  expect(await check({ rewards, shop: [{ id: 'vip', role: ordinary }] })).toEqual([]);
  expect(await check({ rewards: { voterRole: { role: moderator } } })).toMatchObject([
    { path: 'rewards.voterRole', problem: 'names a role with permissions of a moderator.' },
  ]);
  const paths = async (listing: object) => (await check(listing)).map(({ path }) => path);
  expect(await paths({ rewards: { milestones: [{ votes: 1, role: above }] } })).toEqual(['rewards.milestones']);
  expect(await paths({ rewards: { premiumRoles: { Gold: managed } } })).toEqual(['rewards.premiumRoles']);
  expect(await paths({ shop: [{ id: 'vip', role: '999' }] })).toEqual(['shop']);
  expect(await paths({ shop: [{ id: 'vip', needsRole: moderator }] })).toEqual([]);
});

it('accepts no role while Discord does not say what the bot may give', async () => {
  expect(await check({ rewards: { voterRole: { role: ordinary } } }, false)).toHaveLength(1);
  expect(await check({ rewards: { vote: 5 } }, false)).toEqual([]);
});

it('recognises the permissions of a moderator', () => {
  expect(isModerating('8')).toBe(true);
  expect(isModerating(String(1n << 40n))).toBe(true);
  expect(isModerating('2048')).toBe(false);
});
