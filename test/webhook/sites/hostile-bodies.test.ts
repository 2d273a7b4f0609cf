import { parseJson } from '@tallyhook/platform/json';
import { describe, expect, it } from 'vitest';
import { sites } from '../../../src/webhook/sites/index.ts';
import { readDelivery } from '../../../src/webhook/sites/read-delivery.ts';
import { bodies, target, topggVersion1, votedAt, voter } from './bodies.ts';

const now = votedAt;

/** Texts that replace a value of a genuine body. */
const values = [
  ...[
    'null',
    'true',
    'false',
    '""',
    '[]',
    '{}',
    '[[]]',
    '1e400',
    '-1',
    '1.5',
    '9007199254740993',
    '20568018739475251200',
  ],
  ...[
    '{"id":"1"}',
    '"\\u0000"',
    '"\\ud800"',
    '"__proto__"',
    ...['"user_a1b2c3"', '"12345"', '"205680187394752512345"', voter],
    '{"__proto__":{"id":"1"}}',
    '{"constructor":{"name":"x"}}',
  ],
  `"${'1'.repeat(2_000)}"`,
  `${'['.repeat(1_000)}${']'.repeat(1_000)}`,
];

const wholes = [
  ...['null', '[]', '"text"', '5', '{}', '{"__proto__":null}', '[{"user":"1"}]', '{"type":"vote.create","data":[]}'],
  `{"__proto__":{"user":"${voter}","id":"${voter}","type":"upvote"}}`,
  `{"a":${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}}`,
];

/** The body with each of its values replaced in turn. */
function* variants(body: object): Generator<string> {
  const paths = pathsOf(body);
  for (const path of paths) {
    for (const value of values) {
      const copy = structuredClone(body);
      setAt(copy, path, 'REPLACED');
      yield JSON.stringify(copy).replace('"REPLACED"', () => value);
    }
  }
}

function pathsOf(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...at]];
  return [
    ...(at.length > 0 ? [[...at]] : []),
    ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...at, name])),
  ];
}

function setAt(object: object, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) Object.assign(object, { [name]: value });
  else setAt(Object.entries(object).find(([key]) => key === name)?.[1] as object, rest, value);
}

describe.each(sites)('hostile bodies of $id', (site) => {
  const documented = [bodies[site.id], ...(site.id === 'topgg' ? [topggVersion1] : [])];
  const genuine = documented.flatMap((each) => each?.votes ?? []);
  const written = { kind: 'bot', targetId: target, userId: voter, at: votedAt, id: '77', isTest: false } as const;
  const texts = [...wholes, ...[...genuine, site.write(written)].flatMap((body) => [...variants(body)])];

  it('are at most quarantined, and credit nobody else', () => {
    for (const text of texts) {
      const json = parseJson(text);
      for (const kind of site.kinds) {
        for (const scheme of [null, ...site.schemes]) {
          const payload = readDelivery(site, json, { kind, id: target }, { now, scheme });
          if (payload.type !== 'event' || payload.event.family !== 'vote') continue;
          const { userId, atSite = { weight: 0 } } = payload.event;
          const isHarmless = userId === voter && atSite.weight > 0 && atSite.weight <= 4;
          if (!isHarmless) expect.fail(`${userId} × ${atSite.weight}: ${text}`);
        }
      }
    }
    expect(Object.prototype).not.toHaveProperty('user');
  });
});
