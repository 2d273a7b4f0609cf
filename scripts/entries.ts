import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** An entry of the package, from `exports` in package.json. */
export interface Entry {
  /** How it is imported: `tallyhook`, `tallyhook/client`, … */
  readonly name: string;
  /** `index` for the package itself, otherwise the last part of the name. */
  readonly shortName: string;
  /** The path of its source, from the root. */
  readonly source: string;
  /** The absolute path of its declarations. */
  readonly declarations: string;
  /** The absolute path of its module. */
  readonly module: string;
}

const root = new URL('../', import.meta.url);

/** All entries with modules, in the order of package.json. */
export function readEntries(): readonly Entry[] {
  const { name, exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  return Object.entries<{ types: string; default: string } | string>(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const isRoot = path === '.';
    const shortName = isRoot ? 'index' : path.slice('./'.length);
    return [
      {
        name: isRoot ? name : `${name}/${shortName}`,
        shortName,
        source: isRoot ? 'src/index.ts' : `src/exports/${shortName}.ts`,
        declarations: fileURLToPath(new URL(target.types, root)),
        module: fileURLToPath(new URL(target.default, root)),
      },
    ];
  });
}
