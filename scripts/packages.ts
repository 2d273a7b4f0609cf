/**
 * Writes `packages/<name>/dist` of the packages that are published beside tallyhook, which `npm publish` takes: a bundle with
 * what it uses of the other packages, its declarations, and a manifest without what only a clone needs. `npm run build:packages`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleScripts } from 'local-discord/messages';
import { ownFace, pageFolder } from 'local-discord/page';
import { type Assets, copyAssets } from './assets.ts';
import { bundleModules } from './bundle.ts';
import { pruneDeclarations } from './declarations.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Published {
  /** Modules that are started by the names of their files. */
  readonly files: Readonly<Record<string, string>>;
  /** Packages that npm installs with it; others are in the bundle. */
  readonly dependencies: readonly string[];
  /** Packages that users may install beside it. */
  readonly optional: readonly string[];
  readonly assets: Assets;
  readonly addPages?: (folder: string) => Promise<void>;
}

export const published: Readonly<Record<string, Published>> = {
  'local-discord': {
    files: { 'direct-discordjs': 'packages/local-discord/src/direct-discordjs.js' },
    // Their types are in its declarations.
    dependencies: ['ws', 'zod'],
    optional: [],
    assets: { sources: ['packages/local-discord/src'], translations: {}, fonts: false, altcha: false },
    async addPages(folder) {
      cpSync(pageFolder(), join(folder, 'public'), { recursive: true });
      const scripts = await bundleScripts({ 'local-discord': ownFace.script.source() }, { minify: true });
      for (const [name, code] of scripts) writeFileSync(join(folder, 'public', name), code);
    },
  },
  'listing-service': {
    files: {},
    dependencies: ['express', 'kysely', 'zod'],
    optional: ['@takumi-rs/core'],
    assets: {
      sources: ['packages/listing-service/src', 'packages/platform/src'],
      translations: { service: 'packages/listing-service/locales' },
      fonts: true,
      altcha: true,
    },
  },
};

for (const [name, settings] of Object.entries(published)) {
  await build(name, settings);
  process.stdout.write(`packages/${name}/dist\n`);
}

async function build(name: string, { files, dependencies, optional, assets, addPages }: Published): Promise<void> {
  const source = join(root, 'packages', name);
  const folder = join(source, 'dist');
  const input = { index: `packages/${name}/src/index.ts`, main: `packages/${name}/src/main.ts`, ...files };
  await bundleModules(folder, input, { external: [...dependencies, ...optional] });
  copyAssets(folder, assets);
  await addPages?.(folder);
  declare(name, folder);
  for (const file of globSync('*.{md,png}', { cwd: source })) cpSync(join(source, file), join(folder, file));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const platform = JSON.parse(readFileSync(join(root, 'packages/platform/package.json'), 'utf8'));
  const known = { ...platform.optionalDependencies, ...manifest.dependencies };
  const chosen = (names: readonly string[]) => Object.fromEntries(names.map((each) => [each, known[each]]));
  const { scripts: _scripts, devDependencies: _dev, ...kept } = manifest;
  const entry = { types: `./types/packages/${name}/src/index.d.ts`, default: './index.js' };
  const text = JSON.stringify(
    {
      ...kept,
      bin: { [name]: './main.js' },
      exports: { '.': entry, './package.json': './package.json' },
      dependencies: chosen(dependencies),
      ...(optional.length > 0 && { optionalDependencies: chosen(optional) }),
      engines: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines,
    },
    null,
    2,
  );
  writeFileSync(join(folder, 'package.json'), `${text}\n`);
}

/** Writes the declarations of the package, and of what they import from others. */
function declare(name: string, folder: string): void {
  const temporary = mkdtempSync(join(root, 'node_modules', '.cache', 'declarations-'));
  const config = join(temporary, 'tsconfig.json');
  const outDir = join(folder, 'types');
  const include = [join(root, 'packages', name, 'src', 'index.ts')];
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.build.json'),
      compilerOptions: { outDir, rootDir: root },
      include,
      references: [],
    }),
  );
  try {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit', cwd: root });
    pruneDeclarations(outDir, [join(outDir, 'packages', name, 'src', 'index.d.ts')]);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}
