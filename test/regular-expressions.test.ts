import { sample } from '@tallyhook/platform/testing/sample';
import { describe, expect, it } from 'vitest';
import { findRegularExpressions } from './support/find-regular-expressions.ts';
import { hostileInputs } from './support/hostile-inputs.ts';
import { CountingExpression } from './support/regular-expression-steps.ts';
import { findSuperlinearText } from './support/superlinear-expressions.ts';

const { literals, dynamic } = findRegularExpressions();
const expressions = new Map(literals.map((literal) => [`/${literal.pattern}/${literal.flags}`, literal]));

/**
 * Regular expression literals are found automatically. One that is created at run time needs a function in the table of
 * `linear-time.test.ts`, and its file in the list below.
 */
describe('every regular expression', () => {
  it('is found in the source', () => {
    expect(literals.length).toBeGreaterThan(100);
    expect(dynamic).toEqual([
      'packages/local-discord/src/page/browser/typed-line.ts',
      'packages/local-discord/src/rest.ts',
    ]);
  });

  it('takes steps in proportion to the text', { timeout: 120_000 }, () => {
    const superlinear = [...sample(expressions)].flatMap(([name, { path, pattern, flags }]) => {
      const text = findSuperlinearText(pattern, flags);
      return text === null ? [] : [`${path} ${name}: ${text}`];
    });
    expect(superlinear).toEqual([]);
  });

  it('matches what V8 matches if its steps are counted', () => {
    for (const { pattern, flags } of sample(expressions.values())) {
      const [expected, counting] = [
        new RegExp(pattern, flags.replace('g', '')),
        new CountingExpression(pattern, flags),
      ];
      for (const text of [pattern, ...hostileInputs.map(({ of }) => of(12))]) {
        // A sticky expression goes on where the last match ended.
        expected.lastIndex = 0;
        const found = expected.exec(text);
        expect(counting.search(text).match, `${expected} in ${text}`).toEqual(
          found && [found.index, found.index + found[0].length],
        );
      }
    }
  });
});

describe('the search for a text that takes too many steps', () => {
  it.each([
    [/(a+)+$/, 'a loop in a loop'],
    [/^(?:a|b|ab)*c/, 'alternatives that match the same'],
    [/^(a|aa){1,60}$/, 'many ways to fill a limited loop'],
    [/^\s*(.*?)\s*$/, 'loops beside each other'],
    [/^a*b?a*c/, 'loops with an optional part between them'],
    [/a*b/, 'a loop from each position'],
    [/<!--.*?-->/s, 'a search for the end from each beginning'],
    [/"(?:[^"\\]|\\.)*"/, 'a string without its end'],
    [/^\/+|\/+$/g, 'a loop before the end'],
    [/(?=.*b)a/g, 'a lookahead for each match'],
    [/(?<=a+)b/, 'a loop that looks back'],
    [/,(?=(?:[^"]*"[^"]*")*[^"]*$)/, 'a lookahead to the end'],
    [/(.+)\1/, 'a repeated group'],
    [/^\p{L}*\p{Lu}*\d$/u, 'classes that overlap'],
  ])('finds one for %s: %s', ({ source, flags }) => {
    expect(findSuperlinearText(source, flags)).not.toBe(null);
  });

  it.each([
    /^(?:[^"\\]|\\.)*"/,
    /^[\s\S]*?\n\n$/,
    /^(?=.*b)a/,
    /(?<!\d)\d+px/,
    /%.*$/s,
    /\((?:[^()]|\([^()]*\))*\)/,
    /^\w{1,200}$/,
  ])('finds none for %s', ({ source, flags }) => {
    expect(findSuperlinearText(source, flags)).toBe(null);
  });
});
