import type { CommandSyntax } from '../../terminal/command.ts';

/** The commands by name. */
export type Syntaxes = ReadonlyMap<string, CommandSyntax>;
