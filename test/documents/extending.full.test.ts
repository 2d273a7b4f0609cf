import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

/** What a clone has and the tests of the page do not need. */
const left = ['.git', 'node_modules', 'dist', 'site', '.compile-cache', 'scripts/analysis/node_modules'];

/** A copy of the repository in which the page was followed; returns its directory. */
async function followPage(): Promise<string> {
  const copy = tempDir();
  installPackages(copy);
  // Of what is as old as here, the compiler knows the types.
  const filter = (path: string) => !left.includes(path);
  for (const name of readdirSync('.').filter(filter))
    cpSync(name, join(copy, name), { recursive: true, preserveTimestamps: true, filter });
  const page = readFileSync('docs/extending.md', 'utf8');
  for (const [, language = '', block = ''] of page.matchAll(/```(\w+)\n(.*?)```/gs)) {
    if (language === 'sh') await run('sh', ['-ec', block], { cwd: copy });
    else if (language === 'diff') addLines(copy, block);
    else createFile(copy, block);
  }
  return copy;
}

/** What `npm run typecheck` leaves, from which the compiler checks only what differs. */
const knownTypes = 'node_modules/.cache/types';

/** Links what is installed. The packages of the repository are links themselves, which lead into the copy. */
function installPackages(copy: string): void {
  mkdirSync(join(copy, 'node_modules'));
  if (existsSync(knownTypes)) cpSync(knownTypes, join(copy, knownTypes), { recursive: true, preserveTimestamps: true });
  for (const entry of readdirSync('node_modules', { withFileTypes: true })) {
    if (entry.name === '.cache') continue;
    const from = join(process.cwd(), 'node_modules', entry.name);
    const to = join(copy, 'node_modules', entry.name);
    if (entry.name === '@tallyhook' || entry.isSymbolicLink())
      cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    else symlinkSync(from, to);
  }
}

/** @param block its first line is a comment with the path */
function createFile(copy: string, block: string): void {
  const [first = '', ...lines] = block.split('\n');
  const path = join(copy, first.replace('// ', ''));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.join('\n'));
}

/** Adds lines beside others in the files that match the path; the others are there exactly once. */
function addLines(copy: string, block: string): void {
  const [first = '', ...hunk] = block.trimEnd().split('\n');
  const linesWith = (marks: string) =>
    hunk.flatMap((line) => (marks.includes(line[0] ?? ' ') ? [`${line.slice(1)}\n`] : [])).join('');
  const paths = globSync(first.replace('--- ', ''), { cwd: copy });
  expect(paths.length, first).toBeGreaterThan(0);
  for (const path of paths) {
    const text = readFileSync(join(copy, path), 'utf8');
    const parts = text.split(`\n${linesWith(' ')}`);
    expect(parts.length, `${path}: ${hunk.join('\n')}`).toBe(2);
    writeFileSync(join(copy, path), parts.join(`\n${linesWith(' +')}`));
  }
}

/** Votes twice, and uses the command before, between and without the setting, and its button below `/credits`. */
const program = `
import { once } from 'node:events';
import { startSandbox } from './src/sandbox/sandbox.ts';

async function start(rewards) {
  const sandbox = await startSandbox({ listingSettings: { rewards } });
  const { discord, service } = sandbox;
  const [mira] = discord.members;
  const until = async (condition) => { while (!condition()) await once(discord.events, 'change'); };
  await until(() => discord.connected && discord.commands().some(({ name }) => name === 'thanks'));
  const announced = () => discord.messages(discord.channels.announcements).map(({ embeds }) => embeds[0]?.description);
  const answer = async (name, locale = 'en-US') =>
    discord.runCommand({ name, userId: mira.id, channelId: discord.channels.general, locale }).settled;
  const ask = async (locale) => (await answer('thanks', locale)).embeds[0].description;
  const press = async (label) => {
    const { id, components } = await answer('credits');
    const button = components.flatMap((row) => row.components).find((each) => each.label === label);
    return (await discord.clickButton(id, button.custom_id, mira.id).settled).embeds[0].description;
  };
  const vote = () => service.castVote({ kind: 'server', userId: mira.id, username: mira.username });
  return { ...sandbox, until, announced, ask, press, vote, mira };
}

const { until, announced, ask, press, vote, mira, clock, stop } = await start({ vote: 10, thanks: 2 });
const replies = [await ask(), await ask('de')];
await vote();
await until(() => announced().length === 1);
replies.push(await press('Thanks'));
clock.advance(13 * 60 * 60 * 1000);
await vote();
await until(() => announced().length === 3);
await stop();
const without = await start({ vote: 10 });
replies.push(await without.ask());
await without.stop();
console.log(JSON.stringify({ replies, thanks: announced().at(-1), mira: mira.id }));
`;

/**
 * The tests of what the page adds to: they import a list of it, or ask about settings. Those of a whole program are left out:
 * they take longer than all others, and see of an addition what `use.ts` does.
 */
function touchedTests(): readonly string[] {
  const lists = /'[./]*\/(?:commands\/index|src\/features\/(?:index|settings))\.ts'/;
  const wholeProgram = /\/support\/(?:setup-over|start-app|two-communities)\.ts'/;
  return globSync('test/{*,commands/*,config/*,discord/*,features/**/*,texts/*}.test.ts').filter((path) => {
    if (path.endsWith('.full.test.ts')) return false;
    const source = readFileSync(path, 'utf8');
    if (wholeProgram.test(source)) return false;
    return /^test\/(?:config\/|features\/[^/]+\/settings|texts\/|architecture)/.test(path) || lists.test(source);
  });
}

/** They need neither the bundle of the program nor PostgreSQL, which take longer than they. */
const suites = (include: readonly string[]) => `
import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: {
    pool: 'forks',
    isolate: false,
    testTimeout: 60_000,
    maxWorkers: 1,
    globalSetup: ['test/support/sqlite-template.ts'],
    setupFiles: ['packages/local-discord/testing/discord-watch.ts'],
    provide: { databases: 'sqlite', interactions: 'gateway', oneCaseIn: 100, postgres: null },
    include: ${JSON.stringify(include)},
  },
});
`;

/** Of a command that this process is not a part of. */
const { NODE_OPTIONS: _options, VITEST: _vitest, ...environment } = process.env;

describe('docs/extending.md, applied to a clean tree', () => {
  const followed = sharedByTests(followPage);

  it('compiles, its feature thanks for votes, and answers', { timeout: 900_000 }, async () => {
    const copy = followed();
    const compiler = ['node_modules/typescript/bin/tsc', '--build', '--checkers', '1'];
    const compiled = await run(process.execPath, compiler, { cwd: copy }).catch(({ stdout }: { stdout: string }) => ({
      stdout,
    }));
    expect(compiled.stdout).toBe('');
    for (const path of globSync('locales/*.json')) {
      expect(readFileSync(join(copy, path), 'utf8'), path).toBe(readFileSync(path, 'utf8'));
    }

    writeFileSync(join(copy, 'use.ts'), program);
    const { stdout } = await run(process.execPath, ['use.ts'], { cwd: copy, timeout: 300_000 });
    const { replies, thanks, mira } = JSON.parse(stdout) as { replies: string[]; thanks: string; mira: string };
    expect(replies).toEqual([
      '**2** votes more, and you are thanked in public.',
      // German has no such text: it is English, in which the number stays German.
      '**2** Votes more, and you are thanked in public.',
      '**1** vote more, and you are thanked in public.',
      'Nobody is thanked here at the moment.',
    ]);
    expect(thanks).toBe(`Thank you for **2** votes, <@${mira}>!`);
  });

  it('leaves the tests green that it touches', { timeout: 900_000 }, async () => {
    const copy = followed();
    writeFileSync(join(copy, 'vitest.touched.ts'), suites(touchedTests()));
    const file = join(copy, 'report.json');
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.touched.ts'];
    const args = [...vitest, '--reporter', 'json', '--outputFile', file];
    const output = await run(process.execPath, args, { cwd: copy, env: environment, maxBuffer: 2 ** 26 }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    expect(existsSync(file), output.stdout + output.stderr).toBe(true);
    const report = JSON.parse(readFileSync(file, 'utf8')) as TestReport;
    const failed = report.testResults.flatMap(({ name, message, assertionResults }) => [
      ...(message ? [`${name}: ${message}`] : []),
      ...assertionResults.flatMap(({ status, fullName }) => (status === 'failed' ? [`${name}: ${fullName}`] : [])),
    ]);
    expect(failed).toEqual([]);
    expect(report.numPassedTests).toBeGreaterThan(300);
  });
});

/** Of Vitest's reporter `json`. */
interface TestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}
