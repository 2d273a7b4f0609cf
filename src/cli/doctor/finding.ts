/** What one check found. `well` wants nothing, a `note` is worth knowing, a `fault` keeps something from working. */
export interface Finding {
  readonly level: 'pass' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it; null where there is nothing to do. */
  readonly hint: string | null;
}

export function pass(found: string): Finding {
  return { level: 'pass', message: found, hint: null };
}

export function warn(found: string, cure: string | null = null): Finding {
  return { level: 'warn', message: found, hint: cure };
}

export function fail(found: string, cure: string): Finding {
  return { level: 'fail', message: found, hint: cure };
}
