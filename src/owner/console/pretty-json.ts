/** A string that never ends is one token, to the end: looking for its end again at each of its quotes would take quadratic time. */
const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{[]\s*[}\]]|[{}[\],:]|\s+|[^\s"{}[\],:]+/gs;
/** Deeper than any payload; what is nested deeper is not indented further, or a small body could make a huge page. */
const deepest = 20;

/**
 * JSON with a line for each member. The text itself is kept, character for character: parsing and writing it anew would lose digits of
 * large ids and all but the last of several members of one name, which are what somebody looks for here.
 */
export function prettyJson(text: string): string {
  let depth = 0;
  const line = () => `\n${'  '.repeat(Math.min(depth, deepest))}`;
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

/** Characters that are not seen, or turn the direction of those that are; the line break is not one of them. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Shows what would otherwise hide or reorder the text around it, in JSON's own spelling. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(unseen, (character) =>
      [...Array(character.length).keys()]
        .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
        .join(''),
    );
}
