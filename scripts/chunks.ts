import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeSplittingNameFunction } from 'rolldown';

type Graph = Parameters<CodeSplittingNameFunction>[1];

const root = fileURLToPath(new URL('..', import.meta.url));
const launch = join(root, 'src/launch.js');
const writer = join(root, 'src/features/write-worker.ts');
const main = join(root, 'src/main.ts');
const start = join(root, 'src/cli/start.ts');
/** Loads lazily what a start needs, as does the list of features. */
const app = join(root, 'src/app/app.ts');
const features = join(root, 'src/features/create.ts');

/**
 * Puts what a start loads in a few files, because Node takes about half a millisecond to find and link each. A file has what
 * the same of these load: the start until the database is open, the rest of it, the writer thread, other commands with
 * a client of Discord, and those without it; so none loads what only others need. What every command loads is apart. What a
 * module imports is loaded by all that load the module, so no circle of files arises. Everything else is where the
 * bundler puts it.
 */
export function createChunks(): CodeSplittingNameFunction {
  let closures: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return (id, graph) => {
    closures ??= findClosures(graph);
    if (id.startsWith('\0') || [launch, writer, start].includes(id)) return null;
    const names = [...closures].filter(([, modules]) => modules.has(id)).map(([name]) => name);
    if (names.includes('main')) return 'main';
    return names.some((name) => ['start', 'app', 'writer'].includes(name)) ? names.join('-') : null;
  };
}

function findClosures(graph: Graph): ReadonlyMap<string, ReadonlySet<string>> {
  const importsOf = (id: string) => graph.getModuleInfo(id)?.importedIds ?? [];
  const lazily = (id: string) => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? [];
  const loadedBy = (ids: readonly string[]) => closureOf(ids, importsOf);
  const needsDiscord = (id: string) =>
    [...loadedBy([id])].some((each) => each.includes('/node_modules/@discordjs/rest/'));
  const isEarly = (id: string) => !needsDiscord(id);
  const withFeatures = (id: string) => [...importsOf(id), ...(id === features ? lazily(id) : [])];
  const others = lazily(main).filter((id) => id !== start);
  return new Map([
    ['main', loadedBy([main])],
    ['start', loadedBy([start, ...lazily(app).filter(isEarly)])],
    ['app', closureOf(lazily(app), withFeatures)],
    ['writer', loadedBy([writer])],
    ['discord', loadedBy(others.filter(needsDiscord))],
    ['other', loadedBy(others.filter(isEarly))],
  ]);
}

function closureOf(ids: readonly string[], importsOf: (id: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set(ids);
  // A set also returns what is added meanwhile.
  for (const id of found) for (const imported of importsOf(id)) found.add(imported);
  return found;
}
