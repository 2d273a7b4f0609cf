/** Where JSON ends to be valid, without anything of its content, which may be secret. */
export class InvalidJsonError extends SyntaxError {
  /** The line of the mistake, counted from 1 like its column. */
  readonly line: number;
  readonly column: number;
  /** The probable mistake: a sentence. */
  readonly hint: string;

  constructor(text: string, at: number, hint: string) {
    const before = text.slice(0, at).split('\n');
    const [line, column] = [before.length, (before.at(-1) ?? '').length + 1];
    super(`not JSON at line ${line}, column ${column}`);
    this.line = line;
    this.column = column;
    this.hint = hint;
  }
}

/**
 * Parses JSON. The errors of `JSON.parse` quote the text and often have no position, so the position is found here.
 * @throws InvalidJsonError
 */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw findJsonError(text);
  }
}

/** One token, with the white space before it. A string or a number that is not valid is none. */
const token =
  /[ \t\r\n]*(?:([[\]{},:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

/** Tokens that may come next, such as a value or the end of an empty array, or a name or the end of an empty object. */
type Expected = 'value' | 'valueOrEnd' | 'nameOrEnd' | 'name' | 'colon' | 'commaOrEnd';

function findJsonError(text: string): InvalidJsonError {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const found = token.exec(text);
    const [whole = '', sign = '', string = '', scalar = ''] = found ?? [];
    const next: Expected | null =
      found === null ? null : nextAfter(sign || (string ? '"' : scalar ? '0' : ''), expected, open);
    if (next === null) {
      const start = at + (/^[ \t\r\n]*/.exec(text.slice(at, at + 10_000))?.[0].length ?? 0);
      return new InvalidJsonError(text, start, hintFor(text, start, expected, open));
    }
    at += whole.length;
    expected = next;
  }
}

/** The tokens that may follow a token; null if it is not expected itself. `open` has the brackets that are open. */
function nextAfter(sign: string, expected: Expected, open: string[]): Expected | null {
  const isValueExpected = expected === 'value' || expected === 'valueOrEnd';
  const isNameExpected = expected === 'name' || expected === 'nameOrEnd';
  const isInside = open.length > 0;
  switch (sign) {
    case '{':
    case '[':
      if (!isValueExpected) return null;
      open.push(sign);
      return sign === '{' ? 'nameOrEnd' : 'valueOrEnd';
    case '}':
    case ']': {
      const isEnd = expected === 'commaOrEnd' || expected === (sign === '}' ? 'nameOrEnd' : 'valueOrEnd');
      if (!isEnd || open.at(-1) !== (sign === '}' ? '{' : '[')) return null;
      open.pop();
      return 'commaOrEnd';
    }
    case ',':
      if (expected !== 'commaOrEnd' || !isInside) return null;
      return open.at(-1) === '{' ? 'name' : 'value';
    case ':':
      return expected === 'colon' ? 'value' : null;
    case '"':
      if (isNameExpected) return 'colon';
      return isValueExpected ? 'commaOrEnd' : null;
    default:
      return isValueExpected ? 'commaOrEnd' : null;
  }
}

function hintFor(text: string, at: number, expected: Expected, open: readonly string[]): string {
  const rest = text.slice(at, at + 100);
  const previous = text.slice(0, at).trimEnd().at(-1);
  if (text.trim() === '') return 'The file is empty.';
  if (rest === '') {
    return open.length === 0
      ? 'A value is missing.'
      : 'The file ends too early: a closing bracket or brace is missing.';
  }
  if (/^(\/[/*]|#|<!--)/.test(rest)) return 'JSON has no comments: remove this one.';
  if (/^[\]}]/.test(rest) && previous === ',') return 'Remove the comma before this bracket.';
  if (/^[\]}]/.test(rest))
    return 'This bracket closes none of its kind: another one is missing before it, or it is too much.';
  if (/^['‘’‚“”„«»`]/.test(rest)) return 'Use straight double quotes: ".';
  if (rest.startsWith('"') && expected !== 'commaOrEnd' && expected !== 'colon') {
    return 'This text does not end on its line, or has a backslash that must be written twice: \\\\.';
  }
  if (expected === 'commaOrEnd' && open.length === 0) return 'Something follows the end of the JSON value.';
  if (expected === 'commaOrEnd') return 'A comma is missing before this.';
  if (expected === 'colon') return 'A colon is missing before this.';
  if (rest.startsWith(',')) return 'Remove this comma, or write what is missing before it.';
  if (expected === 'name' || expected === 'nameOrEnd') return 'A name in double quotes is expected here.';
  return 'Texts need double quotes; true, false, null and numbers have none.';
}
