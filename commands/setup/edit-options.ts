import type { CommandInput } from '../../src/discord/commands/input.ts';
import type { OptionValue } from '../../src/discord/commands/reply.ts';
import { type FormName, findForm } from './forms.ts';
import { listingOptions, type SetupView } from './view.ts';

/** Which form edits what. */
export interface Edit {
  readonly name: FormName;
  /** The position in a list; null for a new entry, or without a list. */
  readonly entry: number | null;
  readonly variant: string | null;
}

/** The edit that a component or modal names; null for a forged or outdated one. */
export function editOf({ options }: CommandInput): Edit | null {
  const found = findForm(options['f']);
  const entry = Number(options['e'] ?? Number.NaN);
  const isPosition = Number.isInteger(entry) && entry >= 0 && entry < 1_000;
  return found && { name: found.name, entry: isPosition ? entry : null, variant: String(options['k'] ?? '') || null };
}

export function editOptions(view: SetupView, { name, entry, variant }: Edit): Readonly<Record<string, OptionValue>> {
  return {
    f: name,
    ...listingOptions(view),
    ...(entry === null ? {} : { e: entry }),
    ...(variant === null ? {} : { k: variant }),
  };
}
