#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// The first file of all: plain JavaScript that any Node can read, so that an old one gets a sentence and not a syntax error.
var needed = 24;
var major = Number(process.versions.node.split('.')[0]);

if (major < needed) {
  console.error(
    'tallyhook needs Node ' +
      needed +
      ' or newer; this is Node ' +
      process.versions.node +
      '. In its folder "npm ci && npm start" brings the right one along; elsewhere install it from https://nodejs.org.',
  );
  process.exitCode = 1;
} else {
  // What was compiled once need not be again: that is a third of a start. Beside the code, where nobody else can put something else.
  if (module.enableCompileCache)
    module.enableCompileCache(fileURLToPath(new URL('../.compile-cache', import.meta.url)));
  void import('./main.ts').then((main) => main.main(process.argv.slice(2)));
}
