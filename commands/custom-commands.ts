import { TallyhookError } from '../src/platform/errors.ts';
import type { Command } from './command.ts';

/** Discord: "Application Command Naming". Names with other letters are valid, too. */
const namePattern = /^[-_'\p{L}\p{N}]{1,32}$/u;

/**
 * The commands of an installation with those of the package's user.
 * @throws TallyhookError `command_name_taken`, `command_name_invalid`
 */
export function withCustomCommands(own: readonly Command[], custom: readonly Command[]): readonly Command[] {
  const names = new Set(own.map(({ name }) => name));
  for (const { name } of custom) {
    if (!namePattern.test(name) || name !== name.toLowerCase()) {
      throw new TallyhookError('command_name_invalid', `${JSON.stringify(name)} is not a name of a slash command.`, {
        hint: 'Discord accepts 1 to 32 lower-case letters, digits, hyphens and underscores.',
      });
    }
    if (names.has(name)) {
      throw new TallyhookError('command_name_taken', `There are two commands with the name ${JSON.stringify(name)}.`, {
        hint: `Rename yours. tallyhook has the commands ${own.map((each) => `/${each.name}`).join(', ')}.`,
      });
    }
    names.add(name);
  }
  return [...own, ...custom];
}
