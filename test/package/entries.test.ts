import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readEntries } from '../../scripts/entries.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

describe('the entries of the package', () => {
  it('are the files in src/exports, and the package itself', () => {
    const files = globSync('src/exports/*.ts', { cwd: root }).map((path) => basename(path, '.ts'));
    const entries = readEntries().map(({ shortName }) => shortName);
    expect(entries.toSorted()).toEqual(['index', ...files].toSorted());
  });

  it('have their declarations and modules where the build writes them', () => {
    for (const { shortName } of readEntries()) {
      const path = shortName === 'index' ? './dist/src/index' : `./dist/src/exports/${shortName}`;
      const target = manifest.exports[shortName === 'index' ? '.' : `./${shortName}`];
      expect(target).toEqual({ types: `${path}.d.ts`, default: `${path}.js` });
    }
  });

  it('export only what they import from elsewhere', () => {
    for (const path of ['src/index.ts', ...globSync('src/exports/*.ts', { cwd: root })]) {
      const code = readFileSync(`${root}${path}`, 'utf8').replace(/\/\*.*?\*\//gs, '');
      expect(code.replace(/export (type )?\{[^}]*\} from '[^']+';/g, '').trim()).toBe('');
    }
  });

  it('have no side effects, so that bundlers can drop what is not used', () => {
    expect(manifest.sideEffects).toBe(false);
  });
});

describe('the dependencies of the package', () => {
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = manifest;

  it('accept newer versions', () => {
    const ranges = Object.entries<string>({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    expect(ranges.filter(([, range]) => !range.startsWith('^'))).toEqual([]);
  });

  it('leave discord.js to the user, and install it for development', () => {
    expect(peerDependencies['discord.js']).toBeDefined();
    expect(dependencies['discord.js']).toBeUndefined();
    expect(devDependencies['discord.js']).toBeDefined();
  });
});
