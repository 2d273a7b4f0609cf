import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError, withSuggestion } from './terminal.ts';

/** `parseArgs` of `node:util`, with a suggestion for an option that it does not know. Throws {@link UsageError}, and what that throws. */
export function parseOptions<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (thrown) {
    const [, option] = thrown instanceof Error ? (/^Unknown option '(-[^' ]*)/.exec(thrown.message) ?? []) : [];
    if (option === undefined) throw thrown;
    const known = Object.keys(config.options ?? {}).map((name) => `--${name}`);
    throw new UsageError(withSuggestion(`Unknown option '${option}'.`, option, known));
  }
}
