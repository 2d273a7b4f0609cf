import { parseJson } from '../../src/platform/json.ts';
import type { SettingIssue } from '../setup-port.ts';
import { type JsonObject, listOf, objectOf } from './json.ts';
import type { SetupView } from './view.ts';

/** Why the roles that an imported text would give cannot be given: a text can contain any id. */
export async function issuesOfRoles(
  { services, guildId }: Pick<SetupView, 'services' | 'guildId'>,
  text: string,
): Promise<readonly SettingIssue[]> {
  const given = listOf(objectOf(parseJson(text))['listings']).flatMap(givenRoles);
  const [first] = given;
  if (first === undefined) return [];
  const access = await services.checks.roleAccess(guildId);
  const common = { listing: null, code: 'invalid' } as const;
  if (access === null) {
    return [{ ...common, path: first.path, problem: 'could not be checked with Discord.', hint: 'Try again later.' }];
  }
  return given.flatMap(({ path, id }) => {
    const problem = problemOf(typeof id === 'string' ? access.roles.get(id) : undefined);
    const isModerating = typeof id === 'string' && access.moderating.has(id);
    if (problem === null && !isModerating) return [];
    const hint = 'Choose an ordinary role of this server below the role of the bot.';
    return [{ ...common, path, problem: problem ?? 'names a role with permissions of a moderator.', hint }];
  });
}

function problemOf(state: 'below' | 'above' | 'managed' | undefined): string | null {
  switch (state) {
    case 'below':
      return null;
    case 'above':
      return 'names a role that is above the role of the bot.';
    case 'managed':
      return 'names a role that nobody can be given.';
    case undefined:
      return 'names a role that this server does not have.';
  }
}

/** The roles that a listing gives; not those that are only a condition. */
function givenRoles({ rewards: anyRewards, shop }: JsonObject): { readonly path: string; readonly id: unknown }[] {
  const rewards = objectOf(anyRewards);
  const named = [
    { path: 'rewards.voterRole', id: objectOf(rewards['voterRole'])['role'] },
    ...listOf(rewards['milestones']).map(({ role: id }) => ({ path: 'rewards.milestones', id })),
    ...Object.values(objectOf(rewards['premiumRoles'])).map((id) => ({ path: 'rewards.premiumRoles', id })),
    ...listOf(shop).map(({ role: id }) => ({ path: 'shop', id })),
  ];
  return named.filter(({ id }) => id !== undefined && id !== null);
}
