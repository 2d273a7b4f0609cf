/**
 * An unterminated string is one token, up to the end: searching for its end at each of its quotes would take quadratic
 * time.
 */
const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{[]\s*[}\]]|[{}[\],:]|\s+|[^\s"{}[\],:]+/gs;
/** Deeper than any payload. Deeper levels are not indented further, or a small body could produce a huge page. */
const maxIndentation = 20;

/**
 * JSON with one line per member. Only whitespace changes: `JSON.parse` and `JSON.stringify` would lose digits of large
 * ids and duplicate members, which matter in an investigation.
 */
export function prettyJson(text: string): string {
  let depth = 0;
  const line = () => `\n${'  '.repeat(Math.min(depth, maxIndentation))}`;
  return text.replace(tokens, (token) => {
    if (/^\s/.test(token)) return '';
    if (/^[{[]\s*[}\]]$/.test(token)) return token.replace(/\s/g, '');
    if (token === '{' || token === '[') {
      depth += 1;
      return token + line();
    }
    if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      return line() + token;
    }
    if (token === ',') return token + line();
    return token === ':' ? ': ' : token;
  });
}

/** Invisible characters and those that change the text direction, except line breaks. */
const invisible = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes invisible and direction-changing characters as in JSON: `\u202e`. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(invisible, (character) =>
      [...Array(character.length).keys()]
        .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
        .join(''),
    );
}
