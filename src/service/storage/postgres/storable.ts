/** A text as PostgreSQL can store it: without NUL, and without half of a surrogate pair, which JSON would not accept. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The parameters of a statement as PostgreSQL can store them. */
export function storable(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => (typeof value === 'string' ? storableText(value) : value));
}
