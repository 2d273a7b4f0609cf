/** What one check found. `well` wants nothing, a `note` is worth knowing, a `fault` keeps something from working. */
export interface Finding {
  readonly level: 'well' | 'note' | 'fault';
  readonly found: string;
  /** What to do about it; null where there is nothing to do. */
  readonly cure: string | null;
}

export function well(found: string): Finding {
  return { level: 'well', found, cure: null };
}

export function note(found: string, cure: string | null = null): Finding {
  return { level: 'note', found, cure };
}

export function fault(found: string, cure: string): Finding {
  return { level: 'fault', found, cure };
}
