import type { Step, StepName } from '../ports.ts';

const stepLabels: Readonly<Record<Exclude<StepName, 'credited'>, string>> = {
  received: 'Received',
  verified: 'Verified',
  refused: 'Refused',
  recorded: 'Recorded',
  duplicate: 'Duplicate',
  test: 'Test',
  quarantined: 'Quarantined',
  waiting: 'Waiting',
  announced: 'Announced',
  buried: 'Buried',
};

/** A step in one word; credits as their number. */
export function stepLabel({ name, text }: Pick<Step, 'name' | 'text'>): string {
  return name === 'credited' ? (/^\+\d+/.exec(text)?.[0] ?? 'No credits') : stepLabels[name];
}

/** How long it took, short: "4 ms", "1.2 s". */
export function passed(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
