import { toDurationText } from '@tallyhook/platform/duration-text';
import { objectOf, textOf } from '@tallyhook/platform/json';
import { escapeName, roleMention } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import { choicesOf, setting, showChoice, showDuration, showList } from '../../core/settings/setting-spec.ts';
import { breaks, duration, roleId, rule } from '../../core/settings/value-schemas.ts';

/** The tier that means all that are not named. */
const anyTier = '*';

const tierError = breaks(rule('length', { min: 1, max: 100 }), 'a tier must have 1 to 100 characters');

const kept = ['all', 'highest'] as const;

export const milestoneRoles = setting({
  path: 'rewards.milestoneRoles',
  description:
    '`all`: members keep the roles of all milestones that they reached; `highest`: of the highest only. Listings of one guild share it.',
  isShared: true,
  default: 'all',
  schema: z.enum(kept, 'it must be "all" or "highest"'),
  inFile: ({ rewards }) => rewards.milestoneRoles,
  rules: (kind) => ({ milestoneRoles: kind ?? 'all' }),
  show: showChoice,
  fields: [{ name: 'milestoneRoles', kind: 'radios', preset: 'all', choices: choicesOf(...kept) }],
});

export const voterRole = setting({
  path: 'rewards.voterRole',
  description: 'A role that each vote gives or extends.',
  schema: z.strictObject({
    role: roleId.describe('Id of the role.'),
    for: duration.optional().describe('How long a voter has it after each vote. `VOTER_ROLE_FOR` otherwise.'),
  }),
  canBeOff: true,
  variable: 'VOTER_ROLE_ID',
  fromVariable: (role) => ({ role }),
  inFile: ({ rewards: { voterRole: rules } }) => rules && { role: rules.role, for: toDurationText(rules.forMs) },
  givenRoles: (value) => [{ role: objectOf(value)['role'], entry: value }],
  show(value, texts) {
    const { role, for: lasting } = objectOf(value);
    const mention = roleMention(textOf(role));
    return lasting === undefined
      ? mention
      : texts.text('setup.values.roleFor', { role: mention, duration: showDuration(lasting, texts) });
  },
  fields: [
    { name: 'voterRole', kind: 'roles', part: 'role', isRequiredPart: true },
    {
      name: 'voterRoleFor',
      kind: 'duration',
      part: 'for',
      preset: '12h',
      choices: ['1h', '6h', '12h', '1d', '2d', '3d', '7d', '14d', '30d'],
    },
  ],
});

export const premiumRoles = setting({
  path: 'rewards.premiumRoles',
  description: 'Roles by the name of the premium tier; `*` is for tiers that are not named.',
  schema: z.record(z.string().min(1, tierError).max(100, tierError), roleId),
  inFile: ({ rewards }) => rewards.premiumRoles,
  rules: (byTier) => ({ premiumRoles: byTier ?? {} }),
  givenRoles: (value) => Object.entries(objectOf(value)).map(([tier, role]) => ({ role, entry: [tier, role] })),
  show: (value, texts) =>
    showList(
      Object.entries(objectOf(value)).map(([tier, role]) => ({ tier, role })),
      texts,
      ({ tier, role }) => {
        const name = tier === anyTier ? texts.text('setup.values.anyTier') : escapeName(textOf(tier), 40);
        return texts.text('setup.values.tier', { tier: name, role: roleMention(textOf(role)) });
      },
    ),
  fields: [{ name: 'premiumRole', kind: 'roles', part: anyTier }],
});

/** The premium tiers that have a role of their own, in the order of the settings. */
export function namedTiers(value: unknown): readonly string[] {
  return Object.keys(objectOf(value)).filter((tier) => tier !== anyTier);
}
