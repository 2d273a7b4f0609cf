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
      const path = shortName === 'index' ? 'index' : `exports/${shortName}`;
      const target = manifest.exports[shortName === 'index' ? '.' : `./${shortName}`];
      expect(target).toEqual({ types: `./dist/types/src/${path}.d.ts`, default: `./dist/package/${shortName}.js` });
    }
  });

  it('verify other sites in every runtime: it has to find its condition before that of browsers', () => {
    const targets = Object.entries(manifest.imports['#sites']);
    const chosen = (...conditions: string[]) =>
      targets.find(([condition]) => [...conditions, 'default'].includes(condition))?.[1];
    const wrangler = ['browser', 'worker', 'workerd'];
    for (const conditions of [wrangler, ['browser', 'worker'], ['deno', 'node'], ['bun', 'node'], ['node'], []])
      expect(chosen(...conditions)).toBe('./dist/package/sites.js');
    expect(chosen('browser')).toBe('./dist/package/no-sites.js');
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

  it('include discord.js, of which npm installs one copy for both if the range of the user allows it', () => {
    expect(dependencies['discord.js']).toBe('^14.22.0');
    expect(peerDependencies).toEqual({ '@opentelemetry/api': expect.any(String) });
    expect(devDependencies).not.toHaveProperty('discord.js');
  });

  it('and those of a clone are all that the sources import, so that --omit=dev leaves out nothing', () => {
    const clone = JSON.parse(readFileSync(`${root}scripts/clone/package.json`, 'utf8'));
    expect(manifest.workspaces).toEqual(['packages/*', 'scripts/clone']);
    expect(clone.private).toBe(true);
    const packages = globSync('packages/*/package.json', { cwd: root }).map(
      (path): string => JSON.parse(readFileSync(`${root}${path}`, 'utf8')).name,
    );
    const known = new Set([
      ...Object.keys({ ...dependencies, ...optionalDependencies, ...clone.dependencies }),
      ...packages,
    ]);
    const imported = globSync('{src,commands,config}/**/*.ts', { cwd: root }).flatMap((path) => {
      const code = readFileSync(`${root}${path}`, 'utf8').replace(/\/\*.*?\*\//gs, '');
      return [...code.matchAll(/\b(?:from |^import |import\()'([@\w][\w@:./-]*)'/gm)].map(
        ([, name = '']) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '',
      );
    });
    expect(imported.length).toBeGreaterThan(100);
    const missing = imported.filter((name) => !name.startsWith('node:') && name !== 'tallyhook' && !known.has(name));
    expect([...new Set(missing)]).toEqual([]);
    expect(Object.keys(clone.dependencies)).toContain('node');
  });

  it('have their places in ARCHITECTURE.md', () => {
    const clone = JSON.parse(readFileSync(`${root}scripts/clone/package.json`, 'utf8'));
    const places = {
      '`dependencies`': dependencies,
      '`devDependencies`': devDependencies,
      '`scripts/clone`': clone.dependencies,
    };
    const text = readFileSync(`${root}ARCHITECTURE.md`, 'utf8');
    for (const name of ['discord.js', 'express', 'ky', 'keyv', '@keyv/sqlite', 'zod', 'vitest']) {
      const [, place = ''] = new RegExp(`^\\| \`${name}\` \\| ([^ |]+)`, 'm').exec(text) ?? [];
      expect(Object.keys(places[place as keyof typeof places] ?? {}), name).toContain(name);
    }
  });
});
