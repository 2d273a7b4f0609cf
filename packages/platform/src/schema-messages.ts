import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/** Plain words for schemas without a message of their own; without the value, which may be secret. */
export function messageFor(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `${nounFor(issue.expected)} is required`
        : `it must be ${nounFor(issue.expected)}`;
    case 'invalid_value':
      return `it must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `it contains ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}, which is not a setting`;
    case 'invalid_key':
      return 'its name must have 1 to 100 characters';
    case 'too_small':
      return boundFor(issue.origin, Number(issue.minimum), issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return boundFor(issue.origin, Number(issue.maximum), issue.inclusive === false ? 'less than' : 'at most');
    case 'not_multiple_of':
      return `it must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'it must be a URL' : 'it does not have the right form';
    default:
      return 'it is not valid';
  }
}

/** The keys of the strict object that does not have the ones of an issue `unrecognized_keys`. */
export function knownKeysOf({ inst }: Issue): readonly string[] {
  const definition = inst?._zod.def;
  if (definition === undefined || !('shape' in definition)) return [];
  return Object.keys(Object(definition.shape));
}

function boundFor(origin: string, bound: number, comparison: string): string {
  const unit = { string: 'characters', array: 'entries', set: 'entries', map: 'entries', object: 'entries' }[origin];
  if (unit === undefined) return `it must be ${comparison} ${bound}`;
  if (comparison === 'at least' && bound === 1) return 'it must not be empty';
  return `it must have ${comparison} ${bound} ${unit}`;
}

const nouns: Readonly<Record<string, string>> = {
  array: 'a list: […]',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object: {…}',
  record: 'an object: {…}',
  string: 'a text: "…"',
};

function nounFor(type: string): string {
  return nouns[type] ?? `of the type ${type}`;
}
