import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/cli/backup.ts';
import type { NumberedEntry } from '../../../src/core/store/snapshots/audit.ts';

const entry: NumberedEntry = {
  id: 7,
  userId: '123456789012345678',
  listing: 'server',
  credits: -5,
  cause: 'correction',
  reason: null,
  at: Date.UTC(2026, 0, 1),
  deliveryId: null,
  guildId: null,
};

describe('JSON lines', () => {
  it('contain one object each, with the time in ISO 8601', () => {
    const { header, formatEntry } = formats.jsonl;
    expect(header).toBe('');
    expect(formatEntry({ ...entry, reason: 'two\nlines' })).toMatch(/^[^\n]*\n$/);
    expect(JSON.parse(formatEntry(entry))).toEqual({ ...entry, at: '2026-01-01T00:00:00.000Z' });
  });
});

describe('CSV', () => {
  const { header, formatEntry } = formats.csv;
  const withReason = (text: string) => formatEntry({ ...entry, reason: text });

  it('has a header, CRLF line endings, plain numbers, and empty fields for null', () => {
    expect(header).toBe('id,userId,listing,credits,cause,reason,at,deliveryId,guildId\r\n');
    expect(formatEntry(entry)).toBe('7,123456789012345678,server,-5,correction,,2026-01-01T00:00:00.000Z,,\r\n');
  });

  it('quotes fields with separators', () => {
    expect(withReason('a "b", c\nd')).toContain(',"a ""b"", c\nd",');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('escapes the formula %j', (formula) => {
    expect(withReason(formula)).toMatch(/,"?'/);
  });

  it('does not change other text', () => {
    expect(withReason('Ad blocker = bad')).toContain(',Ad blocker = bad,');
  });
});
