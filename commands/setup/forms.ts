import type { CommandInput } from '../../src/discord/commands/input.ts';
import { setupSections } from '../../src/features/setup-sections.ts';
import type { SetupSection } from './section.ts';
import type { Edit } from './view.ts';

/** Null for a forged or outdated one. */
export function sectionOf(id: unknown): SetupSection | null {
  return setupSections.find((each) => each.id === id) ?? null;
}

/** A form with its section, by the name in the ids of its components. */
export function findForm(name: unknown): Pick<Edit, 'form' | 'section'> | null {
  const section = setupSections.find(({ forms }) => forms.some((form) => form.name === name));
  const form = section?.forms.find((each) => each.name === name);
  return section && form ? { form, section: section.id } : null;
}

/** The edit that a component or modal names; null for a forged or outdated one. */
export function editOf({ options }: CommandInput): Edit | null {
  const found = findForm(options['f']);
  const entry = Number(options['e'] ?? Number.NaN);
  const isPosition = Number.isInteger(entry) && entry >= 0 && entry < 1_000;
  return found && { ...found, entry: isPosition ? entry : null, variant: String(options['k'] ?? '') || null };
}
