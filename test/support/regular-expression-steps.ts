import { type AST, parseRegExpLiteral, visitRegExpAST } from '@eslint-community/regexpp';

/** Ends a search that takes more steps, such as one of exponential work. */
export const maxSteps = 1_000_000;

/** What a matcher by backtracking does at a position of the text, and what follows. */
type Node =
  | { readonly kind: 'end' }
  | { readonly kind: 'character'; readonly matches: (character: string) => boolean; readonly next: Node }
  | { readonly kind: 'choice'; first: Node; second: Node }
  | { readonly kind: 'store'; readonly register: number; readonly next: Node }
  | { readonly kind: 'advanced'; readonly since: number; readonly next: Node }
  | { readonly kind: 'edge'; readonly holds: (text: string, at: number) => boolean; readonly next: Node }
  | {
      readonly kind: 'look';
      readonly inside: Node;
      readonly backward: boolean;
      readonly negate: boolean;
      readonly next: Node;
    }
  | { readonly kind: 'backreference'; readonly groups: readonly number[]; readonly next: Node };

/** Where to continue after a failure, or a register to restore before. */
type Alternative = { readonly node: Node; readonly at: number } | { readonly register: number; readonly value: number };

export interface Search {
  /** What a matcher by backtracking, such as that of V8, does until it has found the match or knows that there is none. */
  readonly steps: number;
  readonly match: readonly [start: number, end: number] | null;
}

/** Searches like V8, and counts the steps, which are the same on every machine. */
export class CountingExpression {
  readonly #first: Node;
  readonly #flags: string;
  readonly #registers: number;
  readonly #isAnchored: boolean;

  constructor(pattern: string, flags: string) {
    const { first, registers, isAnchored } = compile(parseRegExpLiteral(`/${pattern || '(?:)'}/${flags}`));
    this.#first = first;
    this.#flags = flags;
    this.#registers = registers;
    this.#isAnchored = isAnchored;
  }

  /** The first match at or after `from`. */
  search(text: string, from = 0): Search {
    const run = new Run(text, /[uv]/.test(this.#flags), this.#registers);
    for (let start = from; start <= text.length && run.steps < maxSteps; start += 1) {
      const end = run.match(this.#first, start, false);
      if (end !== null) return { steps: run.steps, match: [start, end] };
      if (this.#isAnchored || this.#flags.includes('y')) break;
    }
    return { steps: run.steps, match: null };
  }

  /** The steps to replace the match, or all matches if the expression is global; infinite if there are too many. */
  replaceSteps(text: string): number {
    let total = 0;
    for (let from = 0; from <= text.length && total < maxSteps; ) {
      const { steps, match } = this.search(text, from);
      total += steps;
      if (match === null || !this.#flags.includes('g')) break;
      from = Math.max(match[1], match[0] + 1);
    }
    return total < maxSteps ? total : Number.POSITIVE_INFINITY;
  }
}

class Run {
  steps = 0;
  readonly #text: string;
  readonly #unicode: boolean;
  readonly #registers: Int32Array;

  constructor(text: string, unicode: boolean, registers: number) {
    this.#text = text;
    this.#unicode = unicode;
    this.#registers = new Int32Array(registers).fill(-1);
  }

  /** Where a match from `start` ends; null if there is none. */
  match(first: Node, start: number, backward: boolean): number | null {
    const alternatives: Alternative[] = [];
    let [node, at] = [first, start];
    for (;;) {
      this.steps += 1;
      if (node.kind === 'end') return at;
      if (node.kind === 'choice') {
        alternatives.push({ node: node.second, at });
        node = node.first;
        continue;
      }
      if (node.kind === 'store') {
        alternatives.push({ register: node.register, value: this.#registers[node.register] ?? -1 });
        this.#registers[node.register] = at;
        node = node.next;
        continue;
      }
      const end = this.#pass(node, at, backward);
      if (end !== null) {
        [node, at] = [node.next, end];
        continue;
      }
      const alternative = this.#backtrack(alternatives);
      if (alternative === null || this.steps > maxSteps) return null;
      ({ node, at } = alternative);
    }
  }

  #backtrack(alternatives: Alternative[]): { node: Node; at: number } | null {
    for (let alternative = alternatives.pop(); alternative !== undefined; alternative = alternatives.pop()) {
      if ('node' in alternative) return alternative;
      this.#registers[alternative.register] = alternative.value;
    }
    return null;
  }

  /** The position after a node, null if the text does not match it. */
  #pass(node: Exclude<Node, { kind: 'end' | 'choice' | 'store' }>, at: number, backward: boolean): number | null {
    switch (node.kind) {
      case 'character': {
        const character = this.#characterAt(at, backward);
        if (character === '' || !node.matches(character)) return null;
        return backward ? at - character.length : at + character.length;
      }
      case 'advanced':
        return this.#registers[node.since] === at ? null : at;
      case 'edge':
        return node.holds(this.#text, at) ? at : null;
      case 'look':
        return (this.match(node.inside, at, node.backward) === null) === node.negate ? at : null;
      case 'backreference': {
        const captured = node.groups.map((group) => this.#captured(group)).find((each) => each !== '') ?? '';
        this.steps += captured.length;
        const start = backward ? at - captured.length : at;
        if (start < 0 || !this.#text.startsWith(captured, start)) return null;
        return backward ? start : at + captured.length;
      }
    }
  }

  #captured(group: number): string {
    const [one = -1, other = -1] = this.#registers.subarray(2 * group, 2 * group + 2);
    return one < 0 || other < 0 ? '' : this.#text.slice(Math.min(one, other), Math.max(one, other));
  }

  #characterAt(at: number, backward: boolean): string {
    if (!this.#unicode) return this.#text.charAt(backward ? at - 1 : at);
    const isPair = backward && (this.#text.codePointAt(at - 2) ?? 0) > 0xffff;
    const code = this.#text.codePointAt(backward ? at - (isPair ? 2 : 1) : at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }
}

/** The nodes of an expression, the number of registers (two for each group, one for each loop), and if it begins with ^. */
function compile({ pattern, flags }: AST.RegExpLiteral): {
  first: Node;
  registers: number;
  isAnchored: boolean;
} {
  const groups: AST.CapturingGroup[] = [];
  visitRegExpAST(pattern, { onCapturingGroupEnter: (group) => void groups.push(group) });
  let registers = 2 * groups.length;

  function alternatives(each: readonly AST.Alternative[], backward: boolean, next: Node): Node {
    return each
      .map(({ elements }) =>
        (backward ? elements.toReversed() : elements).reduceRight<Node>(
          (following, element) => compileElement(element, backward, following),
          next,
        ),
      )
      .reduceRight((second, first) => ({ kind: 'choice', first, second }));
  }

  function compileElement(element: AST.Element, backward: boolean, next: Node): Node {
    switch (element.type) {
      case 'Group':
        return alternatives(element.alternatives, backward, next);
      case 'CapturingGroup': {
        const register = 2 * groups.indexOf(element);
        const end: Node = { kind: 'store', register: register + 1, next };
        return { kind: 'store', register, next: alternatives(element.alternatives, backward, end) };
      }
      case 'Quantifier':
        return repeated(element, backward, next);
      case 'Backreference':
        return { kind: 'backreference', groups: [element.resolved].flat().map((each) => groups.indexOf(each)), next };
      case 'Assertion':
        if (element.kind === 'lookahead' || element.kind === 'lookbehind') {
          const isBackward = element.kind === 'lookbehind';
          const inside = alternatives(element.alternatives, isBackward, { kind: 'end' });
          return { kind: 'look', inside, backward: isBackward, negate: element.negate, next };
        }
        return { kind: 'edge', holds: edge(element, flags), next };
      default:
        return { kind: 'character', matches: characterMatcher(element.raw, flags), next };
    }
  }

  function repeated({ element, min, max, greedy }: AST.Quantifier, backward: boolean, next: Node): Node {
    const choice = (body: Node): Node & { kind: 'choice' } =>
      greedy ? { kind: 'choice', first: body, second: next } : { kind: 'choice', first: next, second: body };
    let node = next;
    if (max === Number.POSITIVE_INFINITY) {
      const since = registers++;
      const loop = choice(next);
      const advanced: Node = { kind: 'advanced', since, next: loop };
      const body: Node = { kind: 'store', register: since, next: compileElement(element, backward, advanced) };
      if (greedy) loop.first = body;
      else loop.second = body;
      node = loop;
    } else {
      for (let count = min; count < max; count += 1) node = choice(compileElement(element, backward, node));
    }
    for (let count = 0; count < min; count += 1) node = compileElement(element, backward, node);
    return node;
  }

  const first = alternatives(pattern.alternatives, false, { kind: 'end' });
  return { first, registers, isAnchored: !flags.multiline && isAnchored(pattern.alternatives) };
}

/** V8 tries such an expression only once. */
function isAnchored(alternatives: readonly AST.Alternative[]): boolean {
  return alternatives.every(({ elements: [first] }) => {
    if (first?.type === 'Group' || first?.type === 'CapturingGroup') return isAnchored(first.alternatives);
    return first?.type === 'Assertion' && first.kind === 'start';
  });
}

/** Whether a part of the expression that is one character long, such as `[a-z]`, matches a character. */
export function characterMatcher(raw: string, flags: AST.Flags): (character: string) => boolean {
  const expression = new RegExp(`^(?:${raw})$`, flags.raw.replace(/[dgmy]/g, ''));
  const known = new Map<string, boolean>();
  return (character) => {
    const result = known.get(character) ?? expression.test(character);
    known.set(character, result);
    return result;
  };
}

function edge(assertion: AST.EdgeAssertion | AST.WordBoundaryAssertion, { multiline }: AST.Flags) {
  const isWord = (character: string) => /^\w$/.test(character);
  const isLineEnd = (character: string) => /^[\n\r\u2028\u2029]$/.test(character);
  if (assertion.kind === 'word') {
    return (text: string, at: number) => (isWord(text.charAt(at - 1)) !== isWord(text.charAt(at))) !== assertion.negate;
  }
  return assertion.kind === 'start'
    ? (text: string, at: number) => at === 0 || (multiline && isLineEnd(text.charAt(at - 1)))
    : (text: string, at: number) => at === text.length || (multiline && isLineEnd(text.charAt(at)));
}
