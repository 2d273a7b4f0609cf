/** Adds to the work that was done under a name. */
export type AddWork = (name: string, amount: number) => void;

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
export function countBuiltIns(run: () => void, add: AddWork): void {
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
