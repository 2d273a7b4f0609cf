/*
 * Loaded before a sample of the documents: resolves the package as its users do, to the sources, and prints the address
 * of each server, because a sample is run with port 0, also instead of the default, and when it handles SIGTERM. Names of
 * hosts are unknown, so that none reaches the real Discord.
 */
import { subscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import { registerHooks } from 'node:module';
import { isIP, Server } from 'node:net';

const sources = new URL('../../src/', import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    const [, entry] = /^tallyhook(?:\/(\w+))?$/.exec(specifier) ?? [specifier, null];
    if (entry === null) return next(specifier, context);
    return next(new URL(entry === undefined ? 'index.ts' : `exports/${entry}.ts`, sources).href, context);
  },
});

const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  if (isIP(name)) lookup(name, ...rest);
  else rest.at(-1)(Object.assign(new Error(`${name} is not looked up in a test`), { code: 'ENOTFOUND' }));
};

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port === 3000 ? 0 : port, ...rest);
};

subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => {
  process.stdout.write(`listening on port ${server.address().port}\n`);
});

process.on('newListener', (name) => {
  if (name === 'SIGTERM') process.stdout.write('handles SIGTERM\n');
});
