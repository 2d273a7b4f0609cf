import type { CommandSyntax } from '../../platform/terminal/command.ts';

/** The commands by name. */
export type Syntaxes = ReadonlyMap<string, CommandSyntax>;
