import { expect, it, onTestFinished, vi } from 'vitest';
import { processTerminal } from '../../src/terminal/process-terminal.ts';

it('the first signal stops a command, a second one ends the process, and the two of Ctrl-C under npm count as one', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const { stop } = processTerminal();
  expect(stop.aborted).toBe(false);
  process.emit('SIGINT');
  expect(stop.aborted).toBe(true);
  now.mockReturnValue(1_200);
  process.emit('SIGINT');
  expect(exit).not.toHaveBeenCalled();
  now.mockReturnValue(1_201);
  process.emit('SIGTERM');
  expect(exit).toHaveBeenCalledExactlyOnceWith(1);
});
