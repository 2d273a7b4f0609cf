import { closest } from '@tallyhook/platform/did-you-mean';
import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { checkOptions } from '@tallyhook/platform/options';
import { z } from 'zod';
import type { Ledger } from '../src/core/ledger/program-ledger.ts';
import { menuNameOf } from '../src/discord/commands/command.ts';
import { ownTexts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';
import { type OwnCommand, withCustomCommands } from './custom-command.ts';
import { commands as builtIn } from './index.ts';

/** The slash commands of the package's user, and those of tallyhook that are left out. @category Commands */
export interface CommandChanges {
  /**
   * Names of commands of tallyhook that are neither registered nor answered, such as `help`. The buttons under messages of
   * tallyhook still work. A command in the menu of a member is left out with its command, or alone by its own name:
   * `Credits`, `Trace votes`, `Award credits`.
   */
  readonly exclude?: readonly string[];
  /** Registered and answered beside those of tallyhook. A name that is left out may be used. */
  readonly own?: readonly OwnCommand[];
}

/** A list is short for `{ own: […] }`. @category Commands */
export type CommandOptions = readonly OwnCommand[] | CommandChanges;

/** The commands of an installation. */
export interface ChosenCommands {
  readonly offered: readonly Command[];
  /** Those of tallyhook that are left out. */
  readonly retired: readonly Command[];
}

const command = z.custom<OwnCommand>(
  (value) => typeof value === 'object' && value !== null && typeof Reflect.get(value, 'execute') === 'function',
  'it must be a command with a function execute',
);
const changes = z.strictObject({
  exclude: z.array(z.string()).optional(),
  own: z.array(command).optional(),
} satisfies Record<keyof CommandChanges, z.ZodType>);

/**
 * The commands of an installation with the changes of the package's user.
 * @param options.caller the function whose option it is
 * @param options.ledger what own commands find in their context; null if they are not run
 * @throws InvalidConfigError `invalid_options`
 * @throws TallyhookError `command_name_taken`, `command_name_invalid`
 */
export function chooseCommands(
  commands: readonly Command[],
  chosen: CommandOptions = {},
  { caller, ledger }: { readonly caller: string; readonly ledger: Ledger | null },
): ChosenCommands {
  const isList = (value: CommandOptions): value is readonly OwnCommand[] => Array.isArray(value);
  checkOptions(caller, { commands: chosen }, z.object({ commands: isList(chosen) ? z.array(command) : changes }));
  const { exclude = [], own = [] } = isList(chosen) ? { own: chosen } : chosen;
  const issues = exclude.flatMap((name, index) => issueOf(name, index));
  if (issues.length > 0) throw new InvalidConfigError(issues, caller);
  const isLeftOut = ({ name }: Command) => exclude.includes(name);
  const offered = commands
    .filter((each) => !isLeftOut(each))
    .map((each) => (exclude.includes(menuNameOf(each, ownTexts) ?? '') ? withoutMenu(each) : each));
  return { offered: withCustomCommands(offered, own, ledger), retired: commands.filter(isLeftOut) };
}

function withoutMenu({ menu: _menu, ...command }: Command): Command {
  return command;
}

function issueOf(name: string, index: number): ConfigIssue[] {
  const names = builtIn.flatMap((each) => [each.name, menuNameOf(each, ownTexts) ?? []].flat());
  if (names.includes(name)) return [];
  const similar = closest(name, names);
  const hint = similar === undefined ? `The commands are ${names.join(', ')}.` : `Did you mean ${similar}?`;
  const problem = `is invalid: ${JSON.stringify(name)} is not a command of tallyhook.`;
  return [{ setting: `commands.exclude.${index}`, problem, hint, path: ['commands', 'exclude', index] }];
}
