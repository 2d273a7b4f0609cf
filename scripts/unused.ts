import type { Plugin } from 'rolldown';

/** Code of packages that is never run, by the name that it imports and the package that does. */
const unused: ReadonlyArray<readonly [name: string, importer: string]> = [
  // `src/lookup/sqlite-driver.ts` is the driver of the cache.
  ['better-sqlite3', '/@keyv/sqlite/'],
  ['bun:sqlite', '/@keyv/sqlite/'],
  // For exemplars, which no metric has.
  ['@opentelemetry/api', '/prom-client/'],
  // For traces and metrics of its own, which are off.
  ['@opentelemetry/api', '/@redis/client/'],
  // pg's other implementation, for those who ask for it.
  ['pg-native', '/pg/'],
];

const empty = '\0unused';

export function isUnused(source: string, importer = ''): boolean {
  return unused.some(([name, by]) => source === name && importer.includes(`/node_modules${by}`));
}

/** Replaces what is never run by an empty module: otherwise it would have to be resolved by those who bundle the package. */
export function withoutUnused(): Plugin {
  return {
    name: 'without-unused',
    resolveId: (source, importer) => (isUnused(source, importer) ? { id: empty, moduleSideEffects: false } : null),
    load: (id) => (id === empty ? 'export default {};' : null),
  };
}
