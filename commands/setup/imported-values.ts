import { listOf, objectOf, parseJson } from '../../src/platform/json.ts';
import type { ValueChange } from './given-roles.ts';
import { effectiveValue, type SetupView } from './view.ts';

const rolePaths = ['rewards.voterRole', 'rewards.premiumRoles', 'rewards.milestones', 'shop'] as const;

/** The settings with roles in an imported text, which can contain anything, beside the values in effect. */
export function importedValues(view: SetupView, text: string): readonly ValueChange[] {
  return listOf(objectOf(parseJson(text))['listings']).flatMap((imported) => {
    const listing = view.community.listings.find(({ name }) => name === imported['name']) ?? null;
    const rewards = objectOf(imported['rewards']);
    return rolePaths.map((path) => ({
      path,
      before: effectiveValue({ ...view, listing }, path).value,
      after: path === 'shop' ? imported['shop'] : rewards[path.slice('rewards.'.length)],
    }));
  });
}
