import { type Profiler, Session } from 'node:inspector';

/** A text that can be generated in any length. */
export interface RepeatedText {
  readonly name: string;
  of(length: number): string;
}

/** Work by place: how often V8 ran a block of code, what a built-in function looked at, the steps of an expression. */
type Work = ReadonlyMap<string, number>;

/** Counts the work for inputs of a length. */
type Count = (inputs: readonly RepeatedText[], length: number) => Work;

/** Lengths in UTF-16 code units, with equal distances. The first and the fourth are compared before all of them. */
const lengths = [128, 256, 384, 512, 640] as const;
/** Linear work for the fourth length is four times that for the first, quadratic work sixteen times. */
const maxRatio = 4.2;
/** Fewer operations are no reason to look closer. */
const minWork = 200;

/**
 * Describes where a function works more than linearly, and for which input; null if it does not. Operations are
 * counted, so the result is the same on every machine. Errors of `run` are ignored.
 */
export function findSuperlinearGrowth(
  countWork: (run: () => void) => Work,
  run: (text: string) => unknown,
  inputs: readonly RepeatedText[],
): string | null {
  const count = (each: readonly RepeatedText[], length: number) => {
    const texts = each.map(({ of }) => of(length));
    return countWork(() => {
      for (const text of texts) {
        try {
          run(text);
        } catch {}
      }
    });
  };
  if (!mayGrow(count, inputs) || findPlace(count, inputs, 100) === null) return null;
  for (const input of inputs) {
    const place = findPlace(count, [input], 20);
    if (place !== null) return `${place} for ${input.name}`;
  }
  return null;
}

function mayGrow(count: Count, inputs: readonly RepeatedText[]): boolean {
  const few = count(inputs, lengths[0]);
  const many = count(inputs, lengths[3]);
  return [...many].some(
    ([place, work]) => work === Number.POSITIVE_INFINITY || (work > minWork && work > maxRatio * (few.get(place) ?? 0)),
  );
}

/**
 * A place whose growth grows from length to length, each time by at least a part of its work: a limit of the length
 * changes it once, at two lengths at the most.
 */
function findPlace(count: Count, inputs: readonly RepeatedText[], part: number): string | null {
  const works: Work[] = [];
  let places: readonly string[] = [];
  for (const length of lengths) {
    const work = count(inputs, length);
    const [two, one] = [works.at(-1), works.at(-2)];
    works.push(work);
    if (one === undefined || two === undefined) continue;
    places = (works.length === 3 ? [...work.keys()] : places).filter((place) => {
      const [first = 0, second = 0, third = 0] = [one, two, work].map((each) => each.get(place));
      return third === Number.POSITIVE_INFINITY || (third > minWork && third - 2 * second + first > third / part);
    });
    if (places.length === 0) return null;
  }
  return places[0] ?? null;
}

/** What built-in functions look at, and the steps of regular expressions. */
export function countBuiltInWork(run: () => void): Work {
  const work = new Map<string, number>();
  countBuiltIns(run, (place, amount) => work.set(place, (work.get(place) ?? 0) + amount));
  return work;
}

let session: Session | null = null;

/** V8 counts the blocks of functions that it compiles from now on, and runs everything slower. */
export function startCountingBlocks(): void {
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

export function stopCountingBlocks(): void {
  session?.post('Profiler.stopPreciseCoverage');
}

/** How often V8 runs each block of code. */
export function countBlocks(run: () => void): Work {
  takeCoverage();
  run();
  const work = new Map<string, number>();
  for (const { url, functions } of takeCoverage()) {
    for (const { functionName, ranges } of functions) {
      for (const { startOffset, endOffset, count } of ranges) {
        work.set(`${functionName} (${url}, ${startOffset}–${endOffset})`, count);
      }
    }
  }
  return work;
}

/** The counts since they were last taken. */
function takeCoverage(): readonly Profiler.ScriptCoverage[] {
  let coverage: readonly Profiler.ScriptCoverage[] = [];
  // The answer arrives before the call returns.
  session?.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error) throw error;
    coverage = answer.result;
  });
  return coverage;
}

/** Adds to the work that was done under a name. */
type AddWork = (name: string, amount: number) => void;

/** What takes the same time for every text and array, and what calls a function for each element, which counts its blocks. */
const uncounted = new Set([
  ...['constructor', 'at', 'charAt', 'charCodeAt', 'codePointAt', 'push', 'pop', 'subarray', 'valueOf', 'concat'],
  ...['map', 'filter', 'forEach', 'some', 'every', 'find', 'findIndex', 'findLast', 'findLastIndex', 'reduce'],
  ...['reduceRight', 'flatMap', 'entries', 'keys', 'values', 'match', 'matchAll', 'search'],
]);
/** V8 makes a part of a text without a copy. */
const uncopied = new Set(['slice', 'substring', 'substr']);

type Callable = (this: unknown, ...args: readonly unknown[]) => unknown;

/** Objects with built-in functions, and the names of those that count; by default all. */
const owners: readonly (readonly [name: string, owner: object, names?: readonly string[]])[] = [
  ['String', String.prototype],
  ['Array', Array.prototype],
  ['TypedArray', Object.getPrototypeOf(Uint8Array.prototype)],
  ['Buffer', Buffer.prototype, ['equals', 'indexOf', 'includes', 'toString', 'write']],
  ['Buffer', Buffer, ['from', 'concat', 'byteLength', 'compare']],
  ['JSON', JSON, ['parse', 'stringify']],
  ['Object', Object, ['keys', 'values', 'entries', 'assign', 'fromEntries']],
  ['Iterator', Object.getPrototypeOf([][Symbol.iterator]()), ['next']],
  ['Iterator', Object.getPrototypeOf(''[Symbol.iterator]()), ['next']],
];

let addWork: AddWork | null = null;

/** Calls a function, and counts what built-in functions do meanwhile, which no coverage shows. */
function countBuiltIns(run: () => void, add: AddWork): void {
  replaceBuiltIns();
  addWork = add;
  try {
    run();
  } finally {
    addWork = null;
  }
}

/** Adds the result of `work`, which itself is not counted. */
function count(name: string, work: () => number): number {
  const add = addWork;
  if (add === null) return 0;
  addWork = null;
  try {
    const amount = work();
    add(name, amount);
    return amount;
  } finally {
    addWork = add;
  }
}

function replace(owner: object, name: string, wrap: (original: Callable) => Callable): void {
  const value = wrap((owner as Record<string, Callable>)[name] as Callable);
  Object.defineProperty(owner, name, { value, enumerable: false });
}

let areReplaced = false;

/** Once: V8 compiles everything again if a built-in function changes. */
function replaceBuiltIns(): void {
  if (areReplaced) return;
  areReplaced = true;
  for (const [ownerName, owner, names] of owners) {
    for (const name of names ?? Object.getOwnPropertyNames(owner).filter((each) => !uncounted.has(each))) {
      if (typeof Object.getOwnPropertyDescriptor(owner, name)?.value !== 'function') continue;
      replace(
        owner,
        name,
        (original) =>
          function (...args) {
            const result = Reflect.apply(original, this, args);
            if (addWork !== null) count(`${ownerName}.${name}`, () => workOf(name, this, args, result));
            return result;
          },
      );
    }
  }
  replace(
    RegExp.prototype,
    'exec',
    (original) =>
      function (...args) {
        const { global, sticky, lastIndex } = this as RegExp;
        const result = Reflect.apply(original, this, args) as RegExpExecArray | null;
        const end = result === null ? size(args[0]) : result.index + result[0].length;
        // Each search takes steps in proportion to the text (scripts/analysis/regular-expressions.ts).
        const from = global || sticky ? lastIndex : 0;
        count(String(this), () => (result === null && sticky ? 1 : end - from));
        return result;
      },
  );
}

/** How many characters or elements a call looks at. */
function workOf(name: string, self: unknown, args: readonly unknown[], result: unknown): number {
  const [first, second] = args;
  switch (name) {
    case 'indexOf':
      return distance(self, Number(second ?? 0), Number(result));
    case 'includes':
      return distance(self, Number(second ?? 0), (self as string).indexOf(first as string, Number(second ?? 0)));
    case 'lastIndexOf':
      return Math.min(Number(second ?? Number.POSITIVE_INFINITY), size(self)) - Math.max(0, Number(result));
    case 'startsWith':
    case 'endsWith':
      return size(first);
    case 'trim':
    case 'trimStart':
    case 'trimEnd':
      return 1 + size(self) - size(result);
    case 'next':
      return 1;
    default:
      if (typeof self === 'string' && uncopied.has(name)) return 1;
      return Math.max(size(self), size(first), size(result));
  }
}

function distance(self: unknown, from: number, found: number): number {
  return (found < 0 ? size(self) : found + 1) - from;
}

function size(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) || ArrayBuffer.isView(value)
    ? (value as string | readonly unknown[]).length
    : 0;
}
