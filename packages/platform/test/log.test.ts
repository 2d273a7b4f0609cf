import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLog } from '../src/log.ts';

/** The output of a log in the format `pretty`, without colours and with a fixed time of day. */
function prettyLog(write: (log: ReturnType<typeof createLog>) => void, secrets: readonly string[] = []): string {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  write(createLog({ level: 'trace', secrets, format: 'pretty', destination }));
  return stripVTControlCharacters(lines.join('')).replaceAll(/^\[\d\d:\d\d:\d\d\]/gm, '[12:00:00]');
}

describe('a log in the format "pretty"', () => {
  it('has time, level, message and the other fields on one line', () => {
    expect(
      prettyLog((log) => log.info({ url: 'http://127.0.0.1:1', count: 2, reason: 'two words' }, 'listening')),
    ).toBe('[12:00:00] INFO: listening {"url":"http://127.0.0.1:1","count":2,"reason":"two words"}\n');
  });

  it('has a hint behind the message, and the stack on lines of its own', () => {
    const text = prettyLog((log) => log.error({ err: new Error('broken'), hint: 'Repair it.' }, 'failed'));
    expect(text).toMatch(/^\[12:00:00\] ERROR: failed → Repair it\. \n.*Error: broken\n +at /s);
  });

  it('contains no secrets and no control characters', () => {
    const secret = 'hush "quoted"\nhush';
    const text = prettyLog(
      (log) => log.warn({ name: `\u001b[2J\u202e${secret}` }, `a\u009b31m ${secret}\r\n`),
      [secret],
    );
    expect(text).not.toContain('hush');
    expect(text.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('names every level', () => {
    const text = prettyLog((log) => {
      for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) log[level]('x');
    });
    expect(text.match(/[A-Z]+/g)).toEqual(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']);
  });
});
