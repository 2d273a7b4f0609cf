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

/** A project of somebody else's that has the package, and of the other packages only what the package brings along. */
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

/** Runs the compiler and returns what it complains of. */
function typescript(cwd: string, ...args: string[]): string {
  try {
    return execFileSync(join(root, 'node_modules', '.bin', 'tsc'), args, { cwd, encoding: 'utf8' });
  } catch (failed) {
    return (failed as { stdout: string }).stdout;
  }
}

describe('the package', { timeout: 60_000 }, () => {
  it('depends on nothing that is compiled or that is a pre-release', () => {
    const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
    expect(installed.length).toBeGreaterThan(50);
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
    expect(installed.filter(([, { version }]) => version.includes('-'))).toEqual([]);
  });

  it('brings along all types that its own are made of', () => {
    const project = consumer(`
      import express from 'express';
      import { type App, createApp, createLog, loadConfig, systemClock } from 'tallyhook';
      import { type Sandbox, startSandbox } from 'tallyhook/sandbox';

      const config = loadConfig(process.env);
      const log = createLog({ level: 'info', secrets: [] });
      const app: App = await createApp(config, { clock: systemClock, log });
      express().use(app.webhooks);
      const sandbox: Sandbox = await startSandbox();
      await sandbox.stop();
    `);
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    expect(typescript(project, ...strict, 'bot.ts')).toBe('');
  });
});
