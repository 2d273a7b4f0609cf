import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';
import { CountingExpression, characterMatcher } from './regular-expression-steps.ts';

/** Of these, the characters that the parts of an expression treat differently are repeated. */
const pool = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...['é', '×', '\u0301', '\u200c', '\u200d', '\ufe0f', '\u2028', 'ع', '😀', '🏽'],
];
/** Repetitions of a word: few to find growth, and more than any expression allows to confirm it. */
const repetitions = [4, 400] as const;
/** A quantifier with a smaller maximum is no loop. */
const minLoop = 10;

/**
 * Describes a text for which a search takes steps that grow faster than the text; null if there is none. Tries
 * repetitions of every word of one or two characters and of every word of the expression, after nothing and after what
 * leads to each loop of the expression, and before an end that does not match.
 */
export function findSuperlinearText(pattern: string, flags: string): string | null {
  const expression = new CountingExpression(pattern, flags);
  for (const [prefix, word, end] of hostileTexts(pattern, flags)) {
    const steps = (count: number) => expression.replaceSteps(prefix + word.repeat(count) + end);
    if (repetitions.every((count) => isSuperlinear(steps, count))) {
      return [prefix, `${word}${word}…`, end].map((each) => JSON.stringify(each)).join(' + ');
    }
  }
  return null;
}

/** Linear work has a second difference of nearly zero, quadratic work of two thirds of the work for `count`, or more. */
function isSuperlinear(steps: (count: number) => number, count: number): boolean {
  const [one, two, three] = [steps(count), steps(2 * count), steps(3 * count)];
  return three === Number.POSITIVE_INFINITY || three - 2 * two + one > one / 8;
}

/** Prefixes, words to repeat, and ends; none if the expression has no loop. */
function* hostileTexts(source: string, flags: string): Generator<readonly [prefix: string, word: string, end: string]> {
  const { pattern, flags: parsedFlags } = parseRegExpLiteral(`/${source || '(?:)'}/${flags}`);
  const elements = [...elementsIn(pattern)];
  const matchers = elements.flatMap((each) => (isConsuming(each) ? [characterMatcher(each.raw, parsedFlags)] : []));
  const isCharacter = (each: string) => each.length === 1 || parsedFlags.unicode || parsedFlags.unicodeSets;
  const kinds = Map.groupBy([...pool, ...Array.from(source)].filter(isCharacter), (each) =>
    matchers.map((matches) => Number(matches(each))).join(''),
  );
  const characters = [...kinds.values()].flatMap(([first]) => first ?? []);
  const matchesOf = (character: string) => matchers.filter((matches) => matches(character)).length;
  const rejected = characters.toSorted((one, other) => matchesOf(one) - matchesOf(other))[0] ?? '';

  /** A text that an element matches, if its assertions allow it. */
  function sample(element: AST.Element | AST.Alternative): string {
    switch (element.type) {
      case 'Alternative':
        return element.elements.map(sample).join('');
      case 'Group':
      case 'CapturingGroup':
        return element.alternatives.map(sample).find((each) => each !== '') ?? '';
      case 'Quantifier':
        return sample(element.element).repeat(Math.max(1, Math.min(element.min, minLoop)));
      case 'Assertion':
      case 'Backreference':
        return '';
      default:
        return characters.find(characterMatcher(element.raw, parsedFlags)) ?? '';
    }
  }

  /** What comes before a node in the expression. */
  function before(node: AST.Node): string {
    const { parent } = node;
    if (parent === null) return '';
    const siblings = parent.type === 'Alternative' ? parent.elements : [];
    return (
      before(parent) +
      siblings
        .slice(0, siblings.indexOf(node as AST.Element))
        .map(sample)
        .join('')
    );
  }

  const [prefixes, words] = [new Set<string>(), new Set<string>()];
  for (const loop of elements) {
    if (loop.type !== 'Quantifier' || loop.max < minLoop) continue;
    const { element } = loop;
    const [start, body] = [before(loop), ('alternatives' in element ? element.alternatives : [element]).map(sample)];
    for (const prefix of ['', rejected, start, start + body[0]]) prefixes.add(prefix);
    for (const word of [...body, start, start + body[0]]) words.add(word);
  }
  words.delete('');
  const pairs = characters.flatMap((one) => characters.map((other) => one + other));
  for (const prefix of prefixes) {
    for (const word of [...characters, ...words])
      for (const end of ['', '\n', ...characters]) yield [prefix, word, end];
    for (const word of pairs) for (const end of ['', rejected]) yield [prefix, word, end];
  }
}

function* elementsIn({ alternatives }: { readonly alternatives: readonly AST.Alternative[] }): Generator<AST.Element> {
  for (const element of alternatives.flatMap(({ elements }) => elements)) {
    yield element;
    const inner = element.type === 'Quantifier' ? element.element : element;
    if (inner !== element) yield inner;
    if ('alternatives' in inner) yield* elementsIn(inner);
  }
}

function isConsuming({ type }: AST.Element): boolean {
  return type.startsWith('Character') || type === 'ExpressionCharacterClass';
}
