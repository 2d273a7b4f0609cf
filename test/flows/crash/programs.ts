import { dirname, join } from 'node:path';
import type { HandlerEvent } from '../../../src/core/outbox/handler-events.ts';
import { launcher, type Program, startProgram } from '../../support/start-program.ts';

/** `handling` has handlers of its own, `start` is the program of the command line. */
export type ProgramName = 'handling' | 'start';

/** A call of a handler, as `handling-program.ts` prints it. */
export interface HandlerCall {
  readonly id: string;
  readonly event: HandlerEvent;
}

/** @param clockShiftMs how far the program's clock differs from that of the machine */
export function startNamed(
  name: ProgramName,
  environment: Record<string, string>,
  directory: string,
  clockShiftMs: number,
): Program {
  const shift = encodeURIComponent(`const { now } = Date; Date.now = () => now() + ${clockShiftMs};`);
  const shifted = { ...environment, NODE_OPTIONS: `--import=data:text/javascript,${shift}` };
  if (name === 'start') return startProgram(['start'], shifted, directory);
  const folder = dirname(launcher);
  // As the launcher does for the program.
  const compiled = { NODE_COMPILE_CACHE: join(folder, '..', '.compile-cache') };
  return startProgram([], { ...shifted, ...compiled }, directory, [], join(folder, 'handling-program.js'));
}

/** The calls that a program has made. Its last line may be incomplete. */
export function callsIn(output: string): HandlerCall[] {
  return [...output.matchAll(/^handled (.+)\n/gm)].map(([, call = '']) => JSON.parse(call) as HandlerCall);
}
