import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const root = new URL('../../', import.meta.url).pathname;

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly dev?: boolean; readonly hasInstallScript?: boolean }>
  >;
}

/** A project that depends on the package; of all other packages it has only the package's dependencies. */
function consumer(source: string): string {
  const project = tempDir();
  const installed = join(project, 'node_modules', 'tallyhook');
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(installed, 'package.json'));
  typescript(root, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', join(installed, 'dist'));
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'bot.ts'), source);
  return project;
}

/** Runs the compiler and returns its errors. */
function typescript(cwd: string, ...args: string[]): string {
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...args], {
      cwd,
      encoding: 'utf8',
    });
  } catch (failed) {
    return (failed as { stdout: string }).stdout;
  }
}

describe('the package', { timeout: 60_000 }, () => {
  it('depends neither on packages that compile native code nor on pre-releases', () => {
    const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
    expect(installed.length).toBeGreaterThan(50);
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
    expect(installed.filter(([, { version }]) => version.includes('-'))).toEqual([]);
  });

  it('exports all types of its public signatures', () => {
    const project = consumer(`
      import express from 'express';
      import {
        type App, type AppDependencies, type AttemptResult, type BudgetStore, type CachedValue, createApp, createLog,
        createLookup, type ClaimedEffect, type KeyStatus, type LastVote, loadConfig, type LookupClient, type LookupEvent,
        type ObserveAge, type ObserveLookup, type Outcome, type RecordedDelivery, type Redactor, systemClock,
      } from 'tallyhook';
      import { type Sandbox, startSandbox } from 'tallyhook/sandbox';

      const config = loadConfig(process.env);
      const log = createLog({ level: 'info', secrets: [] });
      const app: App = await createApp(config, { clock: systemClock, log });
      express().use(app.webhooks);
      const sandbox: Sandbox = await startSandbox();
      await sandbox.stop();

      const onRecorded = ({ outcome }: RecordedDelivery): Outcome => outcome;
      const onAttempted = (effects: readonly ClaimedEffect[], { outcome }: AttemptResult) => console.log(effects, outcome);
      export const dependencies: AppDependencies = { clock: systemClock, log, onRecorded, onAttempted };

      const observe: ObserveLookup = ({ event, resource }: LookupEvent) => console.log(event, resource);
      const observeAge: ObserveAge = (resource, age) => console.log(resource, age);
      const lastVote: LastVote = async () => null;
      const listing = { kind: 'server', baseUrl: 'https://listing.example/api/v1', key: 'key' } as const;
      const client: LookupClient<'server'> = createLookup({ ...listing, observe, observeAge, lastVote });
      export const status: KeyStatus = await client.keyStatus();
      export const profile: CachedValue<unknown> = await client.profile();
      export const parts: { budget?: BudgetStore; redactor?: Redactor } = {};
    `);
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    expect(typescript(project, ...strict, 'bot.ts')).toBe('');
  });
});
