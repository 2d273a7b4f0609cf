import type { z } from 'zod';

/** Where what was sent is not what the document describes. */
export interface Fault {
  /** The operation or dispatch, and which part of it: `query`, `request`, `answer`. */
  readonly at: string;
  /** The field, as in `embeds.0.title`. */
  readonly field: string;
  readonly message: string;
  readonly value: unknown;
}

/** What a schema finds wrong with a value; also fields that it does not know, which zod would pass over in silence. */
export function faultsIn(at: string, schema: z.ZodType, value: unknown): Fault[] {
  const read = schema.safeParse(value, { reportInput: true });
  if (!read.success) {
    return read.error.issues.flatMap(nearest).map(({ path, message, input }) => ({
      at,
      field: path.join('.'),
      message,
      value: input,
    }));
  }
  return strangers(value, read.data, []).map(({ path, value: stranger }) => ({
    at,
    field: path.join('.'),
    message: 'The document knows no such field',
    value: stranger,
  }));
}

/** Of a union, what is wrong with the alternative that fits furthest: that is the one that was meant. */
function nearest(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const alternatives = issue.errors.map((issues) =>
    issues.flatMap(nearest).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
  );
  const depth = (issues: readonly z.core.$ZodIssue[]) =>
    issues.some(({ path }) => path.length === issue.path.length + 1 && path.at(-1) === 'type')
      ? 0
      : Math.max(...issues.map(({ path }) => path.length));
  return alternatives.reduce((best, each) => (depth(each) > depth(best) ? each : best));
}

/** The fields that a schema dropped. */
function strangers(
  sent: unknown,
  known: unknown,
  path: readonly string[],
): { path: readonly string[]; value: unknown }[] {
  if (typeof sent !== 'object' || sent === null || typeof known !== 'object' || known === null) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const inner = [...path, name];
    if (name in known) return strangers(value, Reflect.get(known, name), inner);
    return value === undefined ? [] : [{ path: inner, value }];
  });
}
