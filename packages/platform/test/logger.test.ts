import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLog } from '../src/log.ts';
import { adaptLogger, type Logger } from '../src/logger.ts';

const secret = 'hunter2-and-more';

function recorder() {
  const calls: unknown[][] = [];
  const write = (...args: unknown[]) => void calls.push(args);
  return { calls, logger: { debug: write, info: write, warn: write, error: write } satisfies Logger };
}

describe('a logger of the caller', () => {
  it('gets the message first, as console and winston expect', () => {
    const { calls, logger } = recorder();
    const { log } = adaptLogger(logger);
    log.warn({ hint: 'Restart.' }, 'it failed');
    log.info('started');
    expect(calls).toEqual([['it failed', { hint: 'Restart.' }], ['started']]);
  });

  it('is called as a method, at its level', () => {
    class Own implements Logger {
      readonly lines: string[] = [];
      debug = (message: string) => this.add('debug', message);
      info(message: string) {
        this.add('info', message);
      }
      warn(message: string) {
        this.add('warn', message);
      }
      error(message: string) {
        this.add('error', message);
      }
      private add(level: string, message: string): void {
        this.lines.push(`${level} ${message}`);
      }
    }
    const own = new Own();
    const { log } = adaptLogger(own);
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('line');
    expect(own.lines).toEqual(['debug line', 'info line', 'warn line', 'error line']);
  });

  it('gets the fields first if it is one of pino', () => {
    const lines: string[] = [];
    const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) });
    adaptLogger(logger.child({ part: 'votes' })).log.warn({ hint: 'Restart.', token: secret }, 'it failed');
    adaptLogger(logger, [secret]).log.error({ err: new Error(`not ${secret}`) }, 'it failed');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, part: 'votes', hint: 'Restart.', msg: 'it failed' },
      {
        level: 50,
        msg: 'it failed',
        err: { type: 'Error', message: 'not [secret]', stack: expect.stringMatching(/logger\.test/) },
      },
    ]);
    expect(lines[1]).not.toContain(secret);
  });

  it('gets no secret, wherever it is, also one that is added later', () => {
    const { calls, logger } = recorder();
    const { log, redact } = adaptLogger(logger, [secret]);
    redact.add(['added-later']);
    const cause = new TypeError(`caused by ${secret}`);
    const err = Object.assign(new Error(`fetch ${secret}`, { cause }), {
      url: `https://x/?key=${encodeURIComponent(secret)}`,
    });
    const cyclic: Record<string, unknown> = { secret };
    cyclic['itself'] = cyclic;
    const at = new Date(0);
    log.error(
      { err, [secret]: 1, deep: [{ key: secret }], url: new URL(`https://${secret}/`), cyclic, at },
      `of ${secret}`,
    );
    log.warn('added-later');
    const [[message, fields] = []] = calls as [string, Record<string, unknown>][];
    expect(message).toBe('of [secret]');
    expect(fields).toMatchObject({ deep: [{ key: '[secret]' }], url: 'https://[secret]/', at: at.toJSON() });
    expect(fields?.['err']).toBeInstanceOf(Error);
    expect(fields?.['err']).toMatchObject({ message: 'fetch [secret]', cause: { message: 'caused by [secret]' } });
    expect(fields?.['err']).toHaveProperty('cause', expect.any(TypeError));
    expect(calls[1]).toEqual(['[secret]']);
    const everything = JSON.stringify(calls, (_key, value) =>
      value instanceof Error ? Object.entries(Object.getOwnPropertyDescriptors(value)) : value,
    );
    expect(everything).not.toContain(secret);
  });

  it('ends nothing if it fails', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const { log } = adaptLogger({ debug: fail, info: async () => fail(), warn: fail, error: fail });
    log.debug('line');
    log.info({ a: 1 }, 'line');
    await new Promise(setImmediate);
  });

  it('of createLog is used as it is, and learns the secrets', () => {
    const lines: string[] = [];
    const own = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
    const { log } = adaptLogger(own, [secret]);
    expect(log).toBe(own);
    own.info({ key: secret }, 'line');
    expect(lines.join()).toContain('[secret]');
    const adapted = adaptLogger(recorder().logger).log;
    expect(adaptLogger(adapted).log).toBe(adapted);
  });
});
