import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEntries } from '../entries.ts';
import type { InstalledPackage } from './install.ts';

/** What an entry must not load. */
const forbidden: Readonly<Record<string, readonly string[]>> = {
  client: ['discord.js', '@discordjs', 'express', 'kysely'],
  receiver: ['discord.js', '@discordjs'],
  verify: ['discord.js', '@discordjs', 'express', 'kysely', 'pino', 'zod'],
};

/** What imports may take (ms). */
const maxMs: Readonly<Record<string, number>> = { verify: 20 };

/** On a machine that is slow at the moment, an import may take this many times as long as empty modules of the same number. */
const maxRatio = 8;

/** Prints the files that the module in its argument loads. */
const listFiles = `
import { registerHooks } from 'node:module';

const urls = [];
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
await import(process.argv[2]);
console.log(JSON.stringify(urls));
`;

/** Prints how long the import of the module in its argument takes (ms). */
const measureImport = `
const before = performance.now();
await import(process.argv[2]);
console.log(performance.now() - before);
`;

/** Loads each entry in processes of its own: without what it must not load, and in time. */
export function checkLoading({ project, run }: InstalledPackage): string {
  writeFileSync(join(project, 'list-files.js'), listFiles);
  writeFileSync(join(project, 'measure-import.js'), measureImport);
  const measure = (specifier: string, times: number) =>
    Math.min(...Array.from({ length: times }, () => Number(run('measure-import.js', specifier))));
  const lines = readEntries().map(({ name, shortName }) => {
    const urls: string[] = JSON.parse(run('list-files.js', name));
    for (const unwanted of forbidden[shortName] ?? []) {
      const found = urls.find((url) => url.includes(`/node_modules/${unwanted}/`));
      assert(found === undefined, `${name} loads ${found}`);
    }
    const limit = maxMs[shortName];
    const times = limit === undefined ? 1 : 5;
    const ms = measure(name, times);
    const emptyMs = measure(writeEmptyModules(project, urls.length), times);
    const isFast = limit === undefined || ms < limit || ms < emptyMs * maxRatio;
    const result = `${name}: ${urls.length} modules, ${ms.toFixed(1)} ms; as many empty ones: ${emptyMs.toFixed(1)} ms`;
    assert(isFast, result);
    return `  ${result}`;
  });
  return ['imports', ...lines].join('\n');
}

/** Writes a module that imports others, `count` in all; returns its specifier. */
function writeEmptyModules(project: string, count: number): string {
  const folder = `empty-${count}`;
  mkdirSync(join(project, folder), { recursive: true });
  const names = Array.from({ length: count - 1 }, (_, index) => `./${index}.js`);
  for (const name of names) writeFileSync(join(project, folder, name), 'export {};\n');
  writeFileSync(join(project, folder, 'main.js'), names.map((name) => `import '${name}';\n`).join(''));
  return `./${folder}/main.js`;
}
