import { invalidFile, maxRowLength } from './fields.ts';

/** An element of a JSON array, or a property of an object, as its text. */
export interface JsonElement {
  /** Where it begins, counted from 1. */
  readonly line: number;
  /** The name of the property; null in an array. */
  readonly key: string | null;
  readonly text: string;
}

const [quote, backslash, comma, lineFeed] = [34, 92, 44, 10];
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93];
/** White space, commas and colons. */
const betweenValues = [32, 9, 10, 13, 44, 58];

/**
 * Divides a JSON file into the elements of one array or object, without having the whole file in memory. The elements are
 * not parsed.
 * @param path the names of the properties that lead to the array or object; empty for the outermost one
 */
export function createJsonDivider(path: readonly string[]) {
  /** What is not finished of the earlier parts, and where to continue in it. */
  let rest = '';
  let position = 0;
  let line = 1;
  /** Start of the current string, and of the current element; -1 for none. */
  let stringStart = -1;
  let elementStart = -1;
  let elementLine = 1;
  /** Open arrays and objects, and how many of them, from the outermost one, are on the path: objects or not. */
  let depth = 0;
  const onPath: { readonly isObject: boolean }[] = [];
  let key: string | null = null;
  let isKeyNext = false;
  let isDone = false;

  const isFound = () => onPath.length === path.length + 1;
  /** Whether the innermost open value is on the path. */
  const isDirect = () => depth === onPath.length;

  function open(isObject: boolean): void {
    const leadsOn = !isFound() && isDirect() && (depth === 0 || key === path[depth - 1]);
    depth += 1;
    if (!leadsOn) return;
    onPath.push({ isObject });
    key = null;
    isKeyNext = isObject;
  }

  function close(): void {
    if (isDirect()) {
      if (isFound()) isDone = true;
      else onPath.pop();
    }
    depth -= 1;
  }

  function divide(text: string): JsonElement[] {
    const elements: JsonElement[] = [];
    const finish = () => {
      if (elementStart === -1) return;
      elements.push({ line: elementLine, key, text: text.slice(elementStart, position).trimEnd() });
      elementStart = -1;
    };
    for (; position < text.length && !isDone; position += 1) {
      const code = text.charCodeAt(position);
      if (stringStart !== -1) {
        if (code === backslash) position += 1;
        if (code !== quote) continue;
        if (isKeyNext && isDirect()) {
          key = unquote(text.slice(stringStart, position + 1));
          isKeyNext = false;
        }
        stringStart = -1;
        continue;
      }
      if (code === lineFeed) line += 1;
      const isClosing = code === closeBrace || code === closeBracket;
      const isBetween = isClosing || betweenValues.includes(code);
      if (!isBetween && elementStart === -1 && isFound() && isDirect() && !isKeyNext) {
        elementStart = position;
        elementLine = line;
      }
      if (code === quote) stringStart = position;
      else if (code === openBrace || code === openBracket) open(code === openBrace);
      else if (isClosing) {
        if (isFound() && isDirect()) finish();
        close();
      } else if (code === comma && isDirect()) {
        if (isFound()) finish();
        isKeyNext = onPath.at(-1)?.isObject === true;
        key = null;
      }
    }
    keepFrom(text, elementStart !== -1 ? elementStart : stringStart !== -1 ? stringStart : position);
    return elements;
  }

  function keepFrom(text: string, start: number): void {
    rest = text.slice(start);
    position -= start;
    if (elementStart !== -1) elementStart -= start;
    if (stringStart !== -1) stringStart -= start;
    if (rest.length > maxRowLength) {
      throw invalidFile(elementLine, 'is too long', 'Name the part of the file with the members: --path NAME.');
    }
  }

  return {
    /** The elements that end in the next part of the file. @throws TallyhookError `invalid_import_file` */
    push: (part: string): JsonElement[] => (isDone ? [] : divide(rest + part)),
    /** @throws TallyhookError `invalid_import_file` if the array or object does not end, or was not found */
    end(): void {
      if (isDone) return;
      if (isFound()) throw invalidFile(line, 'does not end', 'The file is incomplete.');
      throw invalidFile(1, 'does not lead to a JSON array or object', 'Check --path and --format.');
    },
  };
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
