#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Entry point in JavaScript that old versions of Node can parse, so that they report the required version, not a syntax
// error.
var minMajor = 24;
var major = Number(process.versions.node.split('.')[0]);

if (major < minMajor) {
  console.error(
    'tallyhook requires Node ' +
      minMajor +
      ' or newer, but this is Node ' +
      process.versions.node +
      '. In its own folder "npm ci && npm start" installs a suitable version; elsewhere install it from https://nodejs.org.',
  );
  process.exitCode = 1;
} else {
  // Saves a third of the start-up time. The cache is beside the code, where only the owner of the code can write.
  if (module.enableCompileCache)
    module.enableCompileCache(fileURLToPath(new URL('../.compile-cache', import.meta.url)));
  void import('./main.ts').then((main) => main.main(process.argv.slice(2)));
}
