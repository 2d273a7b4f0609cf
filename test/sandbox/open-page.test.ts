import { describe, expect, it } from 'vitest';
import { isSomebodyThere } from '../../src/sandbox/open-page.ts';

const desk = { environment: { DISPLAY: ':0' }, platform: 'linux', isTerminal: true } as const;

describe('the page is opened', () => {
  it('where a terminal and a display are there', () => {
    expect(isSomebodyThere(desk)).toBe(true);
    expect(isSomebodyThere({ ...desk, environment: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(true);
    expect(isSomebodyThere({ ...desk, environment: {}, platform: 'darwin' })).toBe(true);
    expect(isSomebodyThere({ ...desk, environment: {}, platform: 'win32' })).toBe(true);
  });

  it('not where nobody would see it', () => {
    expect(isSomebodyThere({ ...desk, isTerminal: false })).toBe(false);
    expect(isSomebodyThere({ ...desk, environment: {} })).toBe(false);
    expect(isSomebodyThere({ ...desk, environment: { DISPLAY: ':0', CI: 'true' } })).toBe(false);
    expect(isSomebodyThere({ ...desk, environment: { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1' } })).toBe(false);
  });
});
