import { z } from 'zod';
import { applyExceptions } from './discord-exceptions.ts';

/**
 * Validates a value against a schema of Discord's document. Returns one message per error; unknown fields are errors.
 *
 * @param at the operation and the side, as in `POST /users/@me/channels request`
 */
export function findSchemaErrors(at: string, schema: z.ZodType, sent: unknown, read = applyExceptions): string[] {
  const value = read(at, sent);
  const { success, error } = schema.safeParse(value, { reportInput: true });
  const describeError = (path: readonly PropertyKey[], message: string, value: unknown) =>
    `${at}: ${path.join('.')}: ${message} (${JSON.stringify(value)?.slice(0, 100)})`;
  if (!success)
    return error.issues.flatMap(closestIssues).map(({ path, message, input }) => describeError(path, message, input));
  // An alternative of a union can match without the fields that another one has.
  const alternatives = schema instanceof z.ZodUnion ? (schema.options as readonly z.ZodType[]) : [schema];
  const [fewest = []] = alternatives
    .map((each) => each.safeParse(value))
    .filter((parsed) => parsed.success)
    .map(({ data }) => findUnknownFields(value, data, []))
    .sort((one, other) => one.length - other.length);
  return fewest.map(([path, value]) => describeError(path, 'The document has no such field', value));
}

/** For a union, returns the issues of the alternative that matches deepest, which is the intended one. */
function closestIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const alternatives = issue.errors.map((issues) =>
    issues.flatMap(closestIssues).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
  );
  const isOfOtherType = ({ path }: z.core.$ZodIssue) => path.length === issue.path.length + 1 && path.at(-1) === 'type';
  const depth = (issues: readonly z.core.$ZodIssue[]) =>
    issues.some(isOfOtherType) ? 0 : Math.max(...issues.map(({ path }) => path.length));
  return alternatives.reduce((closest, each) => (depth(each) > depth(closest) ? each : closest));
}

/** Finds the fields that the schema ignored. */
function findUnknownFields(
  sent: unknown,
  known: unknown,
  path: readonly string[],
): [path: readonly string[], found: unknown][] {
  if (typeof sent !== 'object' || sent === null || typeof known !== 'object' || known === null) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const inner = [...path, name];
    return name in known ? findUnknownFields(value, Reflect.get(known, name), inner) : [[inner, value]];
  });
}
