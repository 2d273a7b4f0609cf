import type { Flow, Flows } from './measure.ts';

/** How many files there are, and how many there may be. */
export interface Figure {
  readonly name: string;
  readonly files: number;
  readonly limit: number;
}

/** Above a limit, join files that are one thought, or call what a vote or a command does not need only where it is needed. */
export function figuresOf({ delivery, gatewayCommand, httpCommand }: Flows): readonly Figure[] {
  return [
    { name: 'votes, on both threads', files: countFiles(delivery), limit: 52 },
    { name: 'votes, on the main thread', files: delivery.main.size, limit: 24 },
    { name: '/canvote through the gateway', files: countFiles(gatewayCommand), limit: 26 },
    { name: '/canvote over HTTP', files: countFiles(httpCommand), limit: 26 },
  ];
}

function countFiles({ main, writer }: Flow): number {
  return new Set([...main.keys(), ...writer.keys()]).size;
}
