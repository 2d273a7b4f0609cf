import { describe, expect, it } from 'vitest';
import { canOpenBrowser } from '../../src/sandbox/cli.ts';

const desk = { environment: { DISPLAY: ':0' }, platform: 'linux', isTerminal: true } as const;

describe('the browser', () => {
  it('opens with a terminal and a display', () => {
    expect(canOpenBrowser(desk)).toBe(true);
    expect(canOpenBrowser({ ...desk, environment: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(true);
    expect(canOpenBrowser({ ...desk, environment: {}, platform: 'darwin' })).toBe(true);
    expect(canOpenBrowser({ ...desk, environment: {}, platform: 'win32' })).toBe(true);
  });

  it('does not open in CI, over SSH, or without a terminal or display', () => {
    expect(canOpenBrowser({ ...desk, isTerminal: false })).toBe(false);
    expect(canOpenBrowser({ ...desk, environment: {} })).toBe(false);
    expect(canOpenBrowser({ ...desk, environment: { DISPLAY: ':0', CI: 'true' } })).toBe(false);
    expect(canOpenBrowser({ ...desk, environment: { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1' } })).toBe(false);
  });
});
