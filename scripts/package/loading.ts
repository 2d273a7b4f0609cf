import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEntries } from '../entries.ts';
import type { InstalledPackage } from './install.ts';

/** Packages that an entry must not load. */
const forbidden: Readonly<Record<string, readonly string[]>> = {
  client: [
    'discord.js',
    '@discordjs',
    'express',
    'kysely',
    'pg',
    'tallyhook/dist/src/store',
    'tallyhook/dist/src/discord',
  ],
  receiver: ['discord.js', '@discordjs'],
  verify: ['discord.js', '@discordjs', 'express', 'kysely', 'pg', 'pino', 'zod'],
};

/** What imports may take (ms): 20 on a machine that does nothing else, and a multiple where an empty module is slow too. */
const maxMs: Readonly<Record<string, number>> = { verify: 20 };

/** Imports the module that is named in its argument, and prints how long that took, and the files that were loaded. */
const loader = `
import { registerHooks } from 'node:module';

const [specifier] = process.argv.slice(2);
const urls = [];
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
const before = performance.now();
await import(specifier);
const ms = performance.now() - before;
console.log(JSON.stringify({ ms, urls }));
`;

interface Loaded {
  readonly ms: number;
  readonly urls: readonly string[];
}

/** Loads each entry in a process of its own: without the packages that it must not load, and in time. */
export function checkLoading({ project, run }: InstalledPackage): string {
  writeFileSync(join(project, 'load.js'), loader);
  writeFileSync(join(project, 'empty.js'), '');
  const load = (specifier: string): Loaded => {
    const runs: Loaded[] = [1, 2, 3].map(() => JSON.parse(run('load.js', specifier)));
    return runs.toSorted((a, b) => a.ms - b.ms)[0] ?? { ms: Number.POSITIVE_INFINITY, urls: [] };
  };
  const empty = load('./empty.js');
  const lines = readEntries().map(({ name, shortName }) => {
    const { ms, urls } = load(name);
    for (const unwanted of forbidden[shortName] ?? []) {
      const found = urls.find((url) => url.includes(`/node_modules/${unwanted}/`));
      assert(found === undefined, `${name} loads ${found}`);
    }
    const limit = maxMs[shortName];
    // An empty module takes about 1 ms on a machine that does nothing else.
    const allowed = limit === undefined ? Number.POSITIVE_INFINITY : Math.max(limit, limit * empty.ms) * 2;
    assert(ms < allowed, `import '${name}' took ${ms.toFixed(1)} ms, an empty module ${empty.ms.toFixed(1)} ms`);
    return `  ${name}: ${urls.length} modules, ${ms.toFixed(1)} ms (${(ms / empty.ms).toFixed(0)} times an empty module)`;
  });
  return ['imports', ...lines].join('\n');
}
