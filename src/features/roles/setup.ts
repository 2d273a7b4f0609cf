import { type JsonObject, listOf, objectOf, textOf } from '@tallyhook/platform/json';
import {
  type Form,
  type FormContext,
  modalFields,
  readParts,
  removeBox,
  settingsForm,
} from '../../../commands/setup/form.ts';
import type { SetupSection } from '../../../commands/setup/section.ts';
import { button, editOptions, effectiveValue } from '../../../commands/setup/view.ts';
import type { SettingField } from '../../core/settings/setting-spec.ts';
import { isChecked } from '../../discord/commands/input.ts';
import { namedTiers } from './settings.ts';

const given = settingsForm('roles', 'edit', ['rewards.voterRole', 'rewards.milestoneRoles', 'rewards.premiumRoles']);

const tierFields: readonly SettingField[] = [
  { name: 'tier', kind: 'text', part: 'tier', hint: 'tier', isRequired: true },
  { name: 'tierRole', kind: 'roles', part: 'role' },
];

const tier: Form = {
  name: 'tier',
  paths: ['rewards.premiumRoles'],
  list: { placeholder: 'tiers', add: 'addTier', entries: namedTiers },
  fields(context) {
    const all = objectOf(context.value('rewards.premiumRoles'));
    const name = editedTier(all, context);
    return [...modalFields(tierFields, { tier: name, role: all[name ?? ''] }, context.texts), ...removeBox(context)];
  },
  read(input, context) {
    const all = objectOf(context.value('rewards.premiumRoles'));
    const before = editedTier(all, context);
    const others = Object.fromEntries(Object.entries(all).filter(([name]) => name !== before));
    const { tier: name, role } = readParts(tierFields, input, {});
    const isRemoved = isChecked(input, 'remove') || role === undefined;
    return { 'rewards.premiumRoles': isRemoved ? others : { ...others, [textOf(name)]: role } };
  },
};

/** The name of the edited one; undefined for a new one. */
function editedTier(all: JsonObject, { entry }: FormContext): string | undefined {
  return entry === null ? undefined : namedTiers(all)[entry];
}

/** The roles that votes and premium give. */
export const roles: SetupSection = {
  id: 'roles',
  summary: ['rewards.voterRole'],
  forms: [given, tier],
  isUsed: (view, path) =>
    path !== 'rewards.milestoneRoles' ||
    listOf(effectiveValue(view, 'rewards.milestones').value).some(({ role }) => role !== undefined),
  step: (view) => ({
    name: view.texts.text('setup.fields.voterRole'),
    isDone: effectiveValue(view, 'rewards.voterRole').value !== null,
    button: button(view.texts.text('setup.buttons.giveRole'), 'edit', editOptions(view, given)),
  }),
};
