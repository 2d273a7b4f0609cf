import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/cli/export/format.ts';
import type { NumberedEntry } from '../../../src/store/snapshots/entry-pages.ts';

const entry: NumberedEntry = {
  id: 7,
  userId: '123456789012345678',
  listing: 'server',
  credits: -5,
  cause: 'correction',
  reason: null,
  at: Date.UTC(2026, 0, 1),
  deliveryId: null,
};

describe('JSON lines', () => {
  it('have an object each, with the time as ISO 8601', () => {
    const { header: head, line } = formats.jsonl;
    expect(head).toBe('');
    expect(line({ ...entry, reason: 'two\nlines' })).toMatch(/^[^\n]*\n$/);
    expect(JSON.parse(line(entry))).toEqual({ ...entry, at: '2026-01-01T00:00:00.000Z' });
  });
});

describe('CSV', () => {
  const { header: head, line } = formats.csv;
  const reason = (text: string) => line({ ...entry, reason: text });

  it('names its columns, ends lines in CRLF, and leaves a number a number and null empty', () => {
    expect(head).toBe('id,userId,listing,credits,cause,reason,at,deliveryId\r\n');
    expect(line(entry)).toBe('7,123456789012345678,server,-5,correction,,2026-01-01T00:00:00.000Z,\r\n');
  });

  it('quotes what would break a field', () => {
    expect(reason('a "b", c\nd')).toContain(',"a ""b"", c\nd",');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('lets no spreadsheet run %j', (formula) => {
    expect(reason(formula)).toMatch(/,"?'/);
  });

  it('leaves harmless words as they are', () => {
    expect(reason('Ad blocker = bad')).toContain(',Ad blocker = bad,');
  });
});
