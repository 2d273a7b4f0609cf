import {
  type Form,
  optionalSelect,
  removeBox,
  selectedId,
  settingsForm,
  shortText,
} from '../../../commands/setup/form.ts';
import type { SetupSection } from '../../../commands/setup/section.ts';
import { button, editOptions, effectiveValue } from '../../../commands/setup/view.ts';
import { isChecked, textField } from '../../discord/commands/input.ts';
import { listOf, objectOf } from '../../platform/json.ts';
import { namedTiers } from './settings.ts';

const given = settingsForm('roles', 'edit', ['rewards.voterRole', 'rewards.milestoneRoles', 'rewards.premiumRoles']);

const tier: Form = {
  name: 'tier',
  paths: ['rewards.premiumRoles'],
  list: { placeholder: 'tiers', add: 'addTier', entries: namedTiers },
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
    const isRemoved = isChecked(input, 'remove') || role === undefined;
    return { 'rewards.premiumRoles': isRemoved ? others : { ...others, [textField(input, 'tier')]: role } };
  },
};

/** The roles that votes and premium give. */
export const roles: SetupSection = {
  id: 'roles',
  summary: ['rewards.voterRole'],
  forms: [given, tier],
  isUsed: (view, path) =>
    path !== 'rewards.milestoneRoles' ||
    listOf(effectiveValue(view, 'rewards.milestones').value).some(({ role }) => role !== undefined),
  step: (view) => ({
    name: view.texts.setup.fields.voterRole,
    isDone: effectiveValue(view, 'rewards.voterRole').value !== null,
    button: button(view.texts.setup.buttons.giveRole, 'edit', editOptions(view, given)),
  }),
};
