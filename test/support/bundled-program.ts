import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { testCache as cache } from '@tallyhook/platform/testing/test-cache';
import type { TestProject } from 'vitest/node';
import { bundleFolder } from './bundle-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the bundled program's entry file. */
    launcher: string | undefined;
  }
}

const root = join(import.meta.dirname, '..', '..');
/** Programs of tests that are started as often, by the names of their files. */
const programs = { 'handling-program': 'test/flows/crash/handling-program.ts' };
/** Bundles that are older belong to no test that still runs (ms). */
const maxAge = 24 * 60 * 60 * 1_000;

/**
 * For `globalSetup`: bundles the program, unless its sources are unchanged. The tests start it hundreds of times, and a
 * bundle starts with half of the CPU time. It is also what the image runs. All write workers of tests
 * run from it (see `bundled-worker.mjs`).
 */
export function setup(project: TestProject): void {
  const folder = bundleFolder();
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    for (const each of readdirSync(cache)) {
      const path = join(cache, each);
      if (Date.now() - statSync(path).mtimeMs > maxAge) rmSync(path, { recursive: true, force: true });
    }
    // Another test run may do the same.
    const unfinished = `${folder}-${process.pid}`;
    // In a process of its own, because Vitest does not support import.meta.resolve here.
    const script = `const { bundle } = await import('./scripts/bundle.ts'); await bundle(process.argv[1], ${JSON.stringify(programs)});`;
    execFileSync(process.execPath, ['--input-type=module', '-e', script, join(unfinished, 'dist', 'program')], {
      cwd: root,
    });
    // As in the package: the program reads its version from it.
    copyFileSync(join(root, 'package.json'), join(unfinished, 'package.json'));
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  project.provide('launcher', join(folder, 'dist', 'program', 'launch.js'));
}
