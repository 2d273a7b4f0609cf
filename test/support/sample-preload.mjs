/*
 * Loaded before a sample of the documents: resolves the package as its users do, to the sources, and prints the address
 * of each server, because a sample is run with port 0, and when it handles SIGTERM.
 */
import { subscribe } from 'node:diagnostics_channel';
import { registerHooks } from 'node:module';

const sources = new URL('../../src/', import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    const [, entry] = /^tallyhook(?:\/(\w+))?$/.exec(specifier) ?? [specifier, null];
    if (entry === null) return next(specifier, context);
    return next(new URL(entry === undefined ? 'index.ts' : `exports/${entry}.ts`, sources).href, context);
  },
});

subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => {
  process.stdout.write(`listening on port ${server.address().port}\n`);
});

process.on('newListener', (name) => {
  if (name === 'SIGTERM') process.stdout.write('handles SIGTERM\n');
});
