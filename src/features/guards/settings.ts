import { toDurationText } from '@tallyhook/platform/duration-text';
import { objectOf, textsOf } from '@tallyhook/platform/json';
import { type Markup, markup, mention, roleMention } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import { setting, showDuration } from '../../core/settings/setting-spec.ts';
import { breaks, duration, id, roleId, rule } from '../../core/settings/value-schemas.ts';
import { guardsRule } from './rules.ts';

/** Most blocked members: as many as fit into a field of a form. */
const maxBlocked = 150;
/** Most hidden roles: as many as a select of Discord has. */
const maxHiddenRoles = 25;

function atMost<Schema extends z.ZodType>(schema: Schema, max: number, what: string) {
  return z.array(schema).max(max, breaks(rule('atMost', { max }), `it must have at most ${max} ${what}`));
}

export const guards = setting({
  path: 'guards',
  description:
    '[Whose votes are not paid](rewards.md#guards), and who is on no leaderboard. Listings of one guild share it.',
  schema: z.strictObject({
    minAccountAge: duration
      .optional()
      .describe('How old the Discord account of a voter must be at the time of the vote.'),
    membersOnly: z.boolean().optional().describe('`true`: only members of the guild are paid. Discord is asked.'),
    blocked: atMost(id, maxBlocked, 'users')
      .optional()
      .describe(`Discord ids of users who are not paid, at most ${maxBlocked}.`),
    hiddenRoles: atMost(roleId, maxHiddenRoles, 'roles')
      .optional()
      .describe(`Ids of roles whose members are on no leaderboard and win no prizes, at most ${maxHiddenRoles}.`),
  }),
  isShared: true,
  canBeOff: true,
  inFile(settings) {
    const rules = guardsRule.in(settings.rewards);
    if (rules === null) return {};
    const { minAccountAgeMs, membersOnly, blocked, hiddenRoles } = rules;
    return {
      ...(minAccountAgeMs > 0 && { minAccountAge: toDurationText(minAccountAgeMs) }),
      ...(membersOnly && { membersOnly }),
      ...(blocked.length > 0 && { blocked }),
      ...(hiddenRoles.length > 0 && { hiddenRoles }),
    };
  },
  rules(stated) {
    const { minAccountAge: minAccountAgeMs = 0, membersOnly = false, blocked = [], hiddenRoles = [] } = stated ?? {};
    const isOff = minAccountAgeMs === 0 && !membersOnly && blocked.length + hiddenRoles.length === 0;
    return guardsRule.as(isOff ? null : { minAccountAgeMs, membersOnly, blocked, hiddenRoles });
  },
  requiredRoles: (value) => textsOf(objectOf(value)['hiddenRoles']),
  show(value, texts) {
    const { minAccountAge, membersOnly, blocked, hiddenRoles } = objectOf(value);
    const { text, list } = texts;
    const parts: readonly (Markup | false)[] = [
      minAccountAge !== undefined &&
        text('setup.values.minAccountAge', { duration: showDuration(minAccountAge, texts) }),
      membersOnly === true && text('setup.values.membersOnly'),
      textsOf(blocked).length > 0 && text('setup.values.blocked', { users: list(shortened(blocked, mention)) }),
      textsOf(hiddenRoles).length > 0 &&
        text('setup.values.hiddenRoles', { roles: list(shortened(hiddenRoles, roleMention)) }),
    ];
    return list(parts.filter((part) => part !== false));
  },
  form: 'guards',
  fields: [
    {
      name: 'minAccountAge',
      kind: 'duration',
      part: 'minAccountAge',
      hint: 'minAccountAge',
      choices: ['1d', '3d', '7d', '14d', '30d', '60d', '90d', '180d', '365d'],
    },
    { name: 'membersOnly', kind: 'switch', part: 'membersOnly', choice: 'membersOnly' },
    { name: 'blocked', kind: 'longText', part: 'blocked', hint: 'blocked', isList: true },
    { name: 'hiddenRoles', kind: 'roles', part: 'hiddenRoles', hint: 'hiddenRoles', isList: true },
  ],
});

/** How many a line shows. */
const maxShown = 8;

function shortened(ids: unknown, show: (id: string) => Markup): readonly Markup[] {
  const all = textsOf(ids);
  const shown = all.slice(0, maxShown).map((each) => show(each));
  return all.length > maxShown ? [...shown, markup`…`] : shown;
}
