import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleScripts } from 'local-discord/messages';
import { ownFace, pageFolder } from 'local-discord/page';
import { build, type Plugin } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';
import { minify } from 'rolldown/utils';
import { previewScript } from '../src/owner/console/settings/previews-html.ts';
import { sandboxFace } from '../src/sandbox/page/sandbox-page.ts';
import { copyAssets, programAssets } from './assets.ts';
import { createChunks } from './chunks.ts';
import { readEntries } from './entries.ts';

/** Entry points: the program, and the writer thread, which is started by its file name. */
const program = { launch: 'src/launch.js', 'write-worker': 'src/features/write-worker.ts' };

/** Not in any bundle: what is only installed in the repository, and an option of discord.js. */
const neverBundled = ['rolldown', 'zlib-sync'];

/** Code of packages that is never run, by the name that it imports and the package that does. */
const unused: ReadonlyArray<readonly [name: string, importer: string]> = [
  // `src/lookup/keyv-sqlite.ts` has the driver of the cache.
  ['better-sqlite3', '/@keyv/sqlite/'],
  ['bun:sqlite', '/@keyv/sqlite/'],
  // For exemplars, which no metric has.
  ['@opentelemetry/api', '/prom-client/'],
  // For traces and metrics of its own, which are off.
  ['@opentelemetry/api', '/@redis/client/'],
  // For digests of values, which are not asked for.
  ['@node-rs/xxhash', '/@redis/client/'],
  // pg's other implementation, for those who ask for it.
  ['pg-native', '/pg/'],
];

/** What `imports` of package.json choose between, by its conditions. */
const sites = {
  sites: 'src/webhook/verification/site-sender.ts',
  'no-sites': 'src/webhook/verification/no-sites.ts',
};

const emptyModule = '\0unused';
const builtIn = builtinModules.flatMap((name) => [name, `node:${name}`]);

/** Leaves the choice to who loads or bundles the package: of the sites, a browser gets an error instead. */
const sitesByCondition: Plugin = {
  name: 'sites-by-condition',
  resolveId: (source, importer) =>
    importer && source.endsWith('/site-sender.ts') ? { id: '#sites', external: true } : null,
};

/** Has other bundlers leave out what is not used of zod, half of which are its messages in other languages. */
const zodAsNamespace: Plugin = {
  name: 'zod-as-namespace',
  transform: (code) => code.replace("import { z } from 'zod';", "import * as z from 'zod';"),
};

const limiters = '\0limiters';

/** The classes of rate-limiter-flexible one by one: its index loads those for every database. */
const limitersOneByOne: Plugin = {
  name: 'limiters-one-by-one',
  resolveId: (source) => (source === 'rate-limiter-flexible' ? { id: limiters, moduleSideEffects: false } : null),
  load(id) {
    if (id !== limiters) return null;
    const folder = fileURLToPath(new URL('lib/', import.meta.resolve('rate-limiter-flexible')));
    const files = readdirSync(folder).filter((name) => /^RateLimiter\w+\.js$/.test(name));
    const path = (name: string) => JSON.stringify(join(folder, name));
    return files.map((name) => `export { default as ${basename(name, '.js')} } from ${path(name)};`).join('\n');
  },
  // Nothing but classes.
  transform: (_code, id) => (id.includes('/rate-limiter-flexible/lib/') ? { moduleSideEffects: false } : null),
};

/**
 * Bundles the program with its dependencies into `folder`: a few large files instead of hundreds of small ones, which Node would have to
 * find and link at each start. Lazy imports stay in separate files. All files are in one folder, so paths
 * relative to `import.meta.url` work as in the sources of one folder.
 *
 * @param more further entry points, by the names of their files
 * @param external packages that are installed beside the bundle
 */
export async function bundle(
  folder: string,
  more: Readonly<Record<string, string>> = {},
  external: readonly string[] = [],
): Promise<void> {
  // Those of a package are small for who imports one of its entries.
  const isProgram = Object.keys(more).length === 0;
  await bundleModules(folder, { ...program, ...more }, { external, isProgram });
  copyAssets(folder, programAssets);
  await buildPages(join(folder, 'public'));
}

/** Bundles modules without their assets. @param input their paths, by the names of their files */
export async function bundleModules(
  folder: string,
  input: Readonly<Record<string, string>>,
  { external = [], isProgram = false }: { readonly external?: readonly string[]; readonly isProgram?: boolean },
): Promise<void> {
  const packages = [...neverBundled, ...external];
  const isExternal = (id: string) => packages.some((name) => id === name || id.startsWith(`${name}/`));
  await rm(folder, { recursive: true, force: true });
  await build({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input: { ...input },
    platform: 'node',
    tsconfig: false,
    ...(isProgram && { preserveEntrySignatures: 'allow-extension' }),
    external: (id, importer) => isExternal(id) && !isUnused(id, importer),
    // pino asks for the main module; without it no file calls require().
    transform: { define: { 'require.main': 'undefined' } },
    // Of what is external, nothing is imported for its effects alone: browsers have no node:module.
    treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
    // discord.js evaluates scripts of a sharding manager, which is not used. What is loaded lazily may share a file with
    // what is not.
    checks: { eval: false, ineffectiveDynamicImport: !isProgram, pluginTimings: false },
    // A warning is an error: an unresolved import would only fail at runtime.
    onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
    plugins: [
      withoutUnused(),
      sitesByCondition,
      limitersOneByOne,
      ...(isProgram ? [] : [zodAsNamespace]),
      // Another bundler would not see a require() through createRequire.
      esmExternalRequirePlugin({ external: builtIn }),
      minifiedPackages(),
      ascii(),
      notices('THIRD-PARTY.txt'),
    ],
    // Node keeps the source text in memory; without comments it is a third smaller.
    output: {
      dir: folder,
      comments: { jsdoc: false, annotation: external.length > 0, legal: true },
      ...(isProgram && {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ debugName: 'chunks', name: createChunks() }],
        },
      }),
    },
  });
}

/** The pages of the local Discord and of the sandbox, and the scripts of all pages that draw messages. */
async function buildPages(folder: string): Promise<void> {
  await cp(pageFolder(), folder, { recursive: true });
  await Promise.all(sandboxFace.files().map((file) => cp(file, join(folder, basename(file.pathname)))));
  const sources = [ownFace.script, sandboxFace.script, previewScript].map(
    ({ source, built }) => [basename(built().pathname, '.js'), source()] as const,
  );
  const scripts = await bundleScripts(Object.fromEntries(sources), { minify: true });
  await Promise.all([...scripts].map(([name, code]) => writeFile(join(folder, name), code)));
}

/**
 * Bundles the contents of the package: all entries and the command line share their modules, and packages that npm
 * installs with it are left out.
 */
export async function bundlePackage(folder: string): Promise<void> {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  const entries = Object.fromEntries(readEntries().map(({ shortName, source }) => [shortName, source]));
  // Started by their file names, as the writer thread is.
  const files = { 'direct-discordjs': 'packages/local-discord/src/direct-discordjs.js', ...sites };
  await bundle(folder, { ...entries, ...files }, Object.keys({ ...dependencies, ...peerDependencies }));
}

function isUnused(source: string, importer = ''): boolean {
  return unused.some(([name, by]) => source === name && importer.includes(`/node_modules${by}`));
}

/** Replaces what is never run by an emptyModule module: otherwise it would have to be resolved by those who bundle the package. */
function withoutUnused(): Plugin {
  return {
    name: 'without-unused',
    resolveId: (source, importer) =>
      isUnused(source, importer) ? { id: emptyModule, moduleSideEffects: false } : null,
    load: (id) => (id === emptyModule ? 'export default {};' : null),
  };
}

/**
 * Minifies what is almost only of packages, also of those of this repository, in whose lines nobody looks for an error.
 * Functions and classes keep their names.
 */
function minifiedPackages(): Plugin {
  return {
    name: 'minified-packages',
    async renderChunk(code, { fileName, moduleIds }) {
      const own = moduleIds.filter((id) => id.startsWith('/') && !/\/(?:node_modules|packages)\//.test(id));
      if (own.length > moduleIds.length / 10) return null;
      const minified = await minify(fileName, code, { mangle: { keepNames: true }, compress: false });
      return minified.code;
    },
  };
}

/**
 * Escapes non-ASCII characters. Node keeps the source text in memory, and one character beyond Latin-1 makes it use
 * two bytes per character for the whole file.
 */
function ascii(): Plugin {
  return {
    name: 'ascii',
    generateBundle(_options, bundled) {
      for (const file of Object.values(bundled)) {
        if (file.type === 'chunk') file.code = file.code.replace(/[\u0080-\uffff]/g, escapedUnit);
      }
    },
  };
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Adds a file with the licences of all bundled packages, as most of them require. */
function notices(fileName: string): Plugin {
  return {
    name: 'notices',
    generateBundle(_options, bundled) {
      const modules = Object.values(bundled).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const packages = new Set(modules.filter((id) => id.includes('/node_modules/')).map(packageOf));
      // Many have the same text.
      const byText = Map.groupBy([...packages].toSorted(), textOf);
      const source = [...byText].map(([text, folders]) => `${folders.map(titleOf).join('\n')}\n\n${text}`).join('\n\n');
      this.emitFile({ type: 'asset', fileName, source: `${source}\n` });
    },
  };
}

/** The folder of a module's package: some packages have nested package.json files without a version. */
function packageOf(id: string): string {
  for (let folder = dirname(id); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && manifestOf(folder).version !== undefined) return folder;
  }
  throw new Error(`${id} belongs to no package.`);
}

function titleOf(folder: string): string {
  const { name, version, license } = manifestOf(folder);
  return `${name} ${version} (${license})`;
}

function textOf(folder: string): string {
  const files = globSync('{LICEN[CS]E,licen[cs]e,NOTICE}*', { cwd: folder });
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
}

function manifestOf(folder: string): { name?: string; version?: string; license?: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
