import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readEntries } from '../entries.ts';
import type { InstalledPackage } from './install.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The oldest supported compiler, and the newest. */
const compilers = ['typescript-5.9', 'typescript'];

/** With the oldest standard that works, and the newest. */
const resolutions = [
  { module: 'nodenext', moduleResolution: 'nodenext', target: 'es2022', lib: ['es2022'] },
  { module: 'esnext', moduleResolution: 'bundler', target: 'es2024', lib: ['es2024'] },
];

const strict = {
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
  // As Node, Bun and Deno run them.
  allowImportingTsExtensions: true,
};

/**
 * Compiles programs of users with every compiler and resolution, without skipping declarations: one per entry that names
 * all of its exports, and every example.
 */
export async function checkConsumers({ project }: InstalledPackage): Promise<string> {
  const folder = join(project, 'consumers');
  mkdirSync(folder);
  for (const { name, shortName } of readEntries())
    writeFileSync(join(folder, `${shortName}.ts`), naming(name, shortName));
  // Not those that import a framework, which is not installed there.
  const exclude = ['**/*.test.ts', 'examples/receiver-in-your-framework/{express,fastify,hono}.ts'];
  const examples = globSync('examples/*/*.{ts,mts}', { cwd: root, exclude });
  for (const path of examples) cpSync(join(root, path), join(folder, path), { recursive: true });
  const runs = resolutions.flatMap((options) => {
    const config = join(project, `tsconfig.${options.moduleResolution}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...strict, ...options }, include: ['consumers'] }));
    return compilers.map((compiler) => compile(compiler, config));
  });
  await Promise.all(runs);
  return `consumers and ${examples.length} files of examples compile with ${compilers.join(' and ')}, nodenext and bundler`;
}

/** @throws Error with the diagnostics */
async function compile(compiler: string, config: string): Promise<void> {
  const tsc = join(root, 'node_modules', compiler, 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', config]).catch(({ stdout }) => {
    throw new Error(`${compiler} with ${config.split('/').at(-1)}:\n${stdout}`);
  });
}

/** A module that imports and names every export of an entry, as the API report lists them. */
function naming(name: string, shortName: string): string {
  const report = readFileSync(join(root, 'docs', 'api', `${shortName}.api.md`), 'utf8');
  const declared = [
    ...report.matchAll(
      /^(?:export )?(?:abstract )?(class|const|function|interface|type) (\w+)(<[^>=]*(?: = [^>]*)?>)?/gm,
    ),
  ];
  const isValue = (keyword: string | undefined) => ['class', 'const', 'function'].includes(keyword ?? '');
  const names = declared.map(([, keyword, each]) => (isValue(keyword) ? each : `type ${each}`));
  const uses = declared.map(([, keyword, each]) => (isValue(keyword) ? `void ${each};` : `export type { ${each} };`));
  return [`import { ${[...new Set(names)].join(', ')} } from '${name}';`, ...new Set(uses), ''].join('\n');
}
