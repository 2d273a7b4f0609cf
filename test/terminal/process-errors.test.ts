import { describe, expect, it } from 'vitest';
import { isConnectionError } from '../../src/terminal/process-errors.ts';

describe('an uncaught error', () => {
  it('does not end the process if it is a connection error', () => {
    expect(isConnectionError(Object.assign(new Error('connect ECONNRESET'), { code: 'ECONNRESET' }))).toBe(true);
    expect(isConnectionError(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBe(false);
    expect(isConnectionError(new TypeError('undefined is not a function'))).toBe(false);
    expect(isConnectionError('ECONNRESET')).toBe(false);
  });
});
