import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { createContext, Script } from 'node:vm';
import { build } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { resolveImport } from '../../support/resolve-import.ts';

const entry = 'src/exports/verify.ts';

/** The source without comments, and without imports of types, which do not exist at run time. */
function runtimeSource(path: string): string {
  const source = readFileSync(path, 'utf8');
  return source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '').replaceAll(/^(?:im|ex)port type [^;]*;$/gm, '');
}

/** @param lazy also those that are loaded when they are needed */
function importsOf(source: string, lazy = true): string[] {
  const pattern = lazy ? /\bfrom\s+'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g : /\bfrom\s+'([^']+)'|\bimport\s+'([^']+)'/g;
  return [...source.matchAll(pattern)].map(([, from, other]) => from ?? other ?? '');
}

const isOwn = (specifier: string) => /^(?:\.|@tallyhook\/platform\/)/.test(specifier);

function graphOf(path: string, lazy = true, graph = new Map<string, string>()): ReadonlyMap<string, string> {
  if (graph.has(path)) return graph;
  const source = runtimeSource(path);
  graph.set(path, source);
  for (const specifier of importsOf(source, lazy)) {
    if (isOwn(specifier)) graphOf(relative('.', resolveImport(specifier, path)), lazy, graph);
  }
  return graph;
}

describe('tallyhook/verify', () => {
  const graph = graphOf(entry);

  it('imports files of this package alone: no part of Node and no other package', () => {
    expect([...graph.keys()]).toContain('src/webhook/payload.ts');
    const foreign = [...graph].flatMap(([path, source]) =>
      importsOf(source)
        .filter((specifier) => !isOwn(specifier))
        .map((specifier) => `${path}: ${specifier}`),
    );
    expect(foreign).toEqual([]);
  });

  it('uses no global that only Node has', () => {
    const onlyInNode = /\b(?:Buffer|process|require|global|setImmediate|__dirname|NodeJS)\b/;
    expect([...graph].filter(([, source]) => onlyInNode.test(source)).map(([path]) => path)).toEqual([]);
  });

  it('stays small, so that importing it takes a few milliseconds', () => {
    // Other sites are loaded when a delivery of one is verified.
    expect(graphOf(entry, false).size).toBeLessThan(35);
  });

  it('runs where only the globals of the web exist', async () => {
    const { output } = await build({ input: entry, write: false, output: { format: 'iife', name: 'tallyhook' } });
    const webGlobals = { crypto, Headers, Request, Response, ReadableStream, TextDecoder, TextEncoder, URL };
    const context = createContext({ ...webGlobals });
    new Script(output[0].code).runInContext(context);
    const program = `(async () => {
      const { sign, verify, VerificationError } = tallyhook;
      const body = JSON.stringify({ event: 'server_vote', userId: '42', serverId: '1', timestamp: '2026-01-01T00:00:00Z' });
      const headers = { 'x-webhook-signature': sign(body, 'secret') };
      const request = new Request('https://example.com/', { method: 'POST', headers, body });
      const event = await verify(request, 'secret');
      const bytes = await verify({ headers, body: new TextEncoder().encode(body) }, 'secret');
      const parsed = await verify({ headers, body: JSON.parse(body) }, 'secret');
      const rejection = await verify({ headers, body }, 'another').catch((error) => [error instanceof VerificationError, error.code]);
      return JSON.stringify({ globals: typeof Buffer + typeof process, event, bytes, parsed, rejection });
    })()`;
    const result = JSON.parse(await new Script(program).runInContext(context));
    const event = {
      ...{ type: 'vote', kind: 'server_vote', listing: { kind: 'server', id: '1' }, userId: '42' },
      ...{ at: Date.UTC(2026, 0, 1), credits: null, denied: false, reason: null },
      ...{ key: expect.stringMatching(/^[0-9a-f]{32}$/), raw: expect.stringContaining('"userId":"42"') },
    };
    expect(result).toEqual({
      globals: 'undefinedundefined',
      ...{ event, bytes: event, parsed: event },
      rejection: [true, 'webhook_signature_mismatch'],
    });
  });
});
