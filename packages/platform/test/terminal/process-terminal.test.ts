import type { EventEmitter } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { processTerminal } from '../../src/terminal/process-terminal.ts';

it('the first signal stops a command, a second one ends the process, and the two of Ctrl-C under npm count as one', () => {
  const emitters: [EventEmitter, string][] = [
    ...['SIGINT', 'SIGTERM', 'exit'].map((event): [EventEmitter, string] => [process, event]),
    ...[process.stdout, process.stderr].map((stream): [EventEmitter, string] => [stream, 'error']),
  ];
  const listeners = emitters.map(([emitter, event]) => [emitter, event, emitter.listeners(event)] as const);
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  onTestFinished(() => {
    vi.restoreAllMocks();
    for (const [emitter, event, before] of listeners)
      for (const listener of emitter.listeners(event))
        if (!before.includes(listener)) emitter.off(event, listener as () => void);
  });
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
