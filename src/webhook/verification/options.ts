import { systemNow } from '@tallyhook/platform/clock';
import { TallyhookError } from '@tallyhook/platform/errors';

/** How to read what a delivery leaves open. */
export interface VerifyOptions {
  /**
   * What a vote is for that names only its voter: the listing that the webhook belongs to, by default a server. With
   * null such votes are not processed (`webhook_unprocessable`).
   */
  readonly kind?: 'server' | 'bot' | null;
  /** The current time (ms since the epoch). A later event is not processed if it is more than 5 minutes ahead. */
  readonly now?: number;
  /**
   * The greatest age of an event (ms), so that a captured delivery is of no use later; by default any. An older one, and
   * one without a time, is rejected (`webhook_too_old`), but not a test. The service repeats a delivery with the time of
   * the event, so allow for hours in which your program may be down.
   */
  readonly maxAgeMs?: number;
}

const isTime = (value: unknown) => typeof value === 'number' && value >= 0;

/** What each option may be. A wrong one would compare as false, and so accept everything. */
const checks: Readonly<Record<keyof VerifyOptions, readonly [isValid: (value: unknown) => boolean, hint: string]>> = {
  kind: [(value) => value === 'server' || value === 'bot' || value === null, "Pass 'server', 'bot' or null."],
  now: [isTime, 'Pass milliseconds since the epoch, as of Date.now.'],
  maxAgeMs: [isTime, 'Pass milliseconds: 24 * 60 * 60 * 1000 for a day.'],
};
const names = Object.keys(checks) as (keyof VerifyOptions)[];

/** A misspelled secret would be left out. @throws TallyhookError `invalid_options` */
export function rejectUnknownSecrets(secrets: object, known: readonly string[]): void {
  const unknown = Object.keys(secrets).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalid(`${unknown} is not one of the secrets of verify.`, `Pass an object with ${known.join(', ')}.`);
}

/** The options with their defaults. @throws TallyhookError `invalid_options`, also for an unknown one */
export function readOptions(options: VerifyOptions): Required<VerifyOptions> {
  if (typeof options !== 'object' || options === null)
    throw invalid('The options of verify are not an object.', 'Pass an object, such as { maxAgeMs }.');
  for (const [name, value] of Object.entries(options)) {
    const known = names.find((each) => each === name);
    if (known === undefined)
      throw invalid(`${name} is not an option of verify.`, `The options are ${names.join(', ')}.`);
    const [isValid, hint] = checks[known];
    if (value !== undefined && !isValid(value)) throw invalid(`The option ${name} of verify is invalid.`, hint);
  }
  const { kind = 'server', now = systemNow(), maxAgeMs = Number.POSITIVE_INFINITY } = options;
  return { kind, now, maxAgeMs };
}

function invalid(message: string, hint: string): TallyhookError {
  return new TallyhookError('invalid_options', message, { hint });
}
