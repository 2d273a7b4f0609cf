import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The groups of codes, by the name of their type. */
function codesByType(): Map<string, string[]> {
  const groups = read('packages/platform/src/error-codes.ts').matchAll(/^export type (\w+) =((?:[ \n|]+'\w+')+);/gm);
  return new Map([...groups].map(([, name = '', union = '']) => [name, [...union.matchAll(/'(\w+)'/g)].map(codeOf)]));
}

/** The codes of each section of the page, by the type that the section names. */
function documentedByType(): Map<string, string[]> {
  const sections = read('docs/errors.md').split('\n## ').slice(1);
  return new Map(
    sections.map((section) => [
      /^`(\w+)`/m.exec(section)?.[1] ?? '',
      [...section.matchAll(/^\| `(\w+)` \| [^|]+\. \| [^|]+\. \|$/gm)].map(codeOf),
    ]),
  );
}

const codeOf = ([, code = '']: RegExpExecArray) => code;

describe('docs/errors.md', () => {
  const documented = documentedByType();

  it.each([...codesByType()])('lists every code of %s with its meaning and what to do', (type, codes) => {
    expect(documented.get(type)?.toSorted()).toEqual(codes.toSorted());
  });

  it('has no section for a type that does not exist', () => {
    expect([...documented.keys()].toSorted()).toEqual([...codesByType().keys()].toSorted());
  });

  it('covers the union of all codes', () => {
    const members = /KnownErrorCode =((?:\s+\| \w+)+);/.exec(read('packages/platform/src/error-codes.ts'))?.[1] ?? '';
    expect([...members.matchAll(/\w+/g)].map(String).toSorted()).toEqual([...documented.keys()].toSorted());
  });
});

it('hints are for the caller: they name neither signals, nor the setting of a port, nor documents of the repository', () => {
  const files = globSync('{src/{app,core,discord,features,lookup,webhook},packages/platform/src}/**/*.ts', {
    cwd: new URL('../../', import.meta.url),
    exclude: ['packages/platform/src/{terminal,doctor}/**'],
  });
  const hints = files.flatMap((path) => [...read(path).matchAll(/[hH]int\w*:? =?[^'"`;]*(['"`])(.*?)\1/gs)]);
  expect(hints.length).toBeGreaterThan(50);
  expect(hints.map(([, , hint]) => hint).filter((hint) => /SIGHUP|\bPORT\b|docs\/|README/.test(hint ?? ''))).toEqual(
    [],
  );
});
