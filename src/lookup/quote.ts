import { createRedactor } from '../platform/redactor.ts';

/** Longer text of the service is cut (characters). */
const maxQuote = 200;

/** Quotes foreign text for an error message. */
export type Quote = (text: string) => string;

/**
 * Makes text of the service fit for a log line: on one line, without control and invisible characters, cut, quoted and escaped, and without
 * the API key should the service repeat it in any common spelling.
 */
export function createQuote(key: string): Quote {
  const redact = createRedactor([key]);
  return (text) => {
    const line = redact(text.replaceAll(key, '[key]'))
      .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
      .trim();
    return JSON.stringify(line.length > maxQuote ? `${line.slice(0, maxQuote - 1)}…` : line);
  };
}
