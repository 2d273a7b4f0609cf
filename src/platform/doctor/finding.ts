/** Result of a check. `pass`: it works. `warn`: it works, but needs attention. `fail`: something does not work. */
export interface Finding {
  readonly level: 'pass' | 'warn' | 'fail';
  readonly message: string;
  /** How to fix it; null if nothing needs to be done. */
  readonly hint: string | null;
}

export function pass(message: string): Finding {
  return { level: 'pass', message, hint: null };
}

export function warn(message: string, hint: string | null = null): Finding {
  return { level: 'warn', message, hint };
}

export function fail(message: string, hint: string): Finding {
  return { level: 'fail', message, hint };
}
