import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRegularExpressions } from './support/find-regular-expressions.ts';
import { findSuperlinearGrowth, type RepeatedText } from './support/growth.ts';
import { hostileInputs, repeatedText, repeatedTexts } from './support/hostile-inputs.ts';

const { literals, dynamic } = findRegularExpressions();
const byPath = Map.groupBy(literals, ({ path }) => path);

/**
 * Regular expression literals are found automatically. One that is created at run time needs a function in the table of
 * `linear-time.test.ts`, and its file in the list below.
 */
describe('every regular expression runs in linear time', { timeout: 120_000 }, () => {
  it('is found in the source', () => {
    expect(literals.length).toBeGreaterThan(100);
    expect(dynamic).toEqual(['src/sandbox/discord/route.ts', 'src/sandbox/page/browser/typed-line.ts']);
  });

  it.each([...byPath])('in %s', (_path, expressions) => {
    const results = expressions.map(({ pattern, flags }) => {
      const expression = new RegExp(pattern, flags);
      // replace() finds the first match, or all matches if the expression is global.
      const replace = (text: string) => text.replace(expression, '');
      const inputs = [...hostileInputs, ...patternCharacters(pattern), ...nearMatches(pattern, flags)];
      return `/${pattern}/${flags} ${findSuperlinearGrowth(replace, inputs) ?? 'is linear'}`;
    });
    expect(results.filter((each) => !each.endsWith(' is linear'))).toEqual([]);
  });
});

/** Repeats each character of the expression, followed by each of its characters. */
function patternCharacters(pattern: string): RepeatedText[] {
  const classes: Readonly<Record<string, string>> = { '\\d': '0', '\\s': ' ', '\\S': 'a', '\\w': 'a', '\\n': '\n' };
  const parts = pattern.match(/\\[a-zA-Z]|[^\\]/gu) ?? [];
  const characters = [...new Set(['\n', ...parts.map((part) => classes[part] ?? part.slice(-1))])].slice(0, 16);
  return repeatedTexts(characters, characters);
}

/** Matching texts with one part repeated and a different end, which makes expressions backtrack. */
function nearMatches(pattern: string, flags: string): RepeatedText[] {
  return samplesOf(pattern, flags).flatMap((sample) =>
    [...sample.split('').keys()].flatMap((start) =>
      [1, 2, 3].flatMap((length) =>
        ['\0', '/'].map((end) =>
          repeatedText({ prefix: sample.slice(0, start), unit: sample.slice(start, start + length) || '\0', end }),
        ),
      ),
    ),
  );
}

/** Generates matching texts with a fixed seed; none if fast-check does not support the syntax, such as lookbehinds. */
function samplesOf(pattern: string, flags: string): readonly string[] {
  try {
    const matching = fc.stringMatching(new RegExp(pattern, flags.replace(/[gy]/g, '')), { size: 'xsmall' });
    return fc.sample(matching, { seed: 1, numRuns: 3 }).map((sample) => sample.slice(0, 40));
  } catch {
    return [];
  }
}
