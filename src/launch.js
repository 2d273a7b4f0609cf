#!/usr/bin/env node
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
  void import('./main.ts').then((main) => main.main(process.argv.slice(2)));
}
