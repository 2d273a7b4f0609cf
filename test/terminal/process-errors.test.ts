import { describe, expect, it } from 'vitest';
import { isStray } from '../../src/terminal/process-errors.ts';

describe('an error that nobody caught', () => {
  it('is survived only where it is the end of a connection', () => {
    expect(isStray(Object.assign(new Error('connect ECONNRESET'), { code: 'ECONNRESET' }))).toBe(true);
    expect(isStray(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBe(false);
    expect(isStray(new TypeError('undefined is not a function'))).toBe(false);
    expect(isStray('ECONNRESET')).toBe(false);
  });
});
