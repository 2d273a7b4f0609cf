import { isChecked, textField } from '../../src/discord/commands/input.ts';
import { objectOf, withoutUndefined } from '../../src/platform/json.ts';
import { type Form, optionalSelect, optionalText, radios, removeBox, selectedId, shortText } from './form.ts';

/** The tier that means all that are not named. */
const anyTier = '*';

/** The premium tiers that have a role of their own, in the order of the settings. */
export function namedTiers(value: unknown): readonly string[] {
  return Object.keys(objectOf(value)).filter((tier) => tier !== anyTier);
}

export const roles: Form = {
  section: 'roles',
  title: ({ setup }) => setup.forms.roles,
  fields({ texts: { setup }, value }) {
    const { fields, choices, hints } = setup;
    const voter = objectOf(value('rewards.voterRole'));
    return [
      optionalSelect('roles', 'voterRole', fields.voterRole, voter['role']),
      shortText('voterRoleFor', fields.voterRoleFor, voter['for'] ?? '12h', { description: hints.duration }),
      radios(
        'milestoneRoles',
        fields.milestoneRoles,
        [
          ['all', choices.all],
          ['highest', choices.highest],
        ],
        value('rewards.milestoneRoles') ?? 'all',
      ),
      optionalSelect('roles', 'premiumRole', fields.premiumRole, objectOf(value('rewards.premiumRoles'))[anyTier]),
    ];
  },
  read(input, { value }) {
    const role = selectedId(input, 'voterRole');
    const premium = selectedId(input, 'premiumRole');
    const { [anyTier]: _before, ...named } = objectOf(value('rewards.premiumRoles'));
    return {
      'rewards.voterRole': role === null ? null : withoutUndefined({ role, for: optionalText(input, 'voterRoleFor') }),
      'rewards.milestoneRoles': input.fields['milestoneRoles'],
      'rewards.premiumRoles': { ...named, ...(premium === null ? {} : { [anyTier]: premium }) },
    };
  },
};

export const tier: Form = {
  section: 'roles',
  title: ({ setup }) => setup.forms.tier,
  fields(context) {
    const { fields, hints } = context.texts.setup;
    const value = context.value('rewards.premiumRoles');
    const name = context.entry === null ? undefined : namedTiers(value)[context.entry];
    const role = name === undefined ? undefined : objectOf(value)[name];
    return [
      shortText('tier', fields.tier, name, { description: hints.tier, required: true }),
      optionalSelect('roles', 'tierRole', fields.tierRole, role),
      ...removeBox(context),
    ];
  },
  read(input, { value, entry }) {
    const all = objectOf(value('rewards.premiumRoles'));
    const before = entry === null ? undefined : namedTiers(all)[entry];
    const others = Object.fromEntries(Object.entries(all).filter(([name]) => name !== before));
    const role = selectedId(input, 'tierRole');
    const isRemoved = isChecked(input, 'remove') || role === null;
    return { 'rewards.premiumRoles': isRemoved ? others : { ...others, [textField(input, 'tier')]: role } };
  },
};
