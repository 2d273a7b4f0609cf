import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { Shown, Stage } from './stage.ts';

/** A state of a command or announcement, and how to reach it. */
export interface AnswerState {
  /** Name of the image files; also selects states on the command line. */
  readonly name: string;
  /** Heading on the page. */
  readonly title: string;
  /** Words of its English text, so that an image of another state is not published under this heading. */
  readonly text: string;
  /** Reaches the state. Later states of the scene find what it has changed. Throws if that fails. */
  readonly show: (stage: Stage) => Promise<Shown>;
}

/** States that are reached one after the other in a sandbox of their own. */
export interface Scene {
  readonly title: string;
  readonly options?: SandboxOptions;
  readonly states: readonly AnswerState[];
}

export function state(name: string, title: string, text: string, show: AnswerState['show']): AnswerState {
  return { name, title, text, show };
}
