import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** An entry of the package, from `exports` in package.json. */
export interface Entry {
  /** How it is imported: `tallyhook`, `tallyhook/client`, … */
  readonly name: string;
  /** `index` for the package itself, otherwise the last part of the name. */
  readonly shortName: string;
  /** The absolute path of its declarations. */
  readonly declarations: string;
}

const root = new URL('../', import.meta.url);

/** All entries with modules, in the order of package.json. */
export function readEntries(): readonly Entry[] {
  const { name, exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  return Object.entries<{ types: string } | string>(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const shortName = path === '.' ? 'index' : path.slice('./'.length);
    const declarations = fileURLToPath(new URL(target.types, root));
    return [{ name: path === '.' ? name : `${name}/${shortName}`, shortName, declarations }];
  });
}
