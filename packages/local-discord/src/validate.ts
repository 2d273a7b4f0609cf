import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import { DiscordApiError, type FieldError, type FieldErrors, type FieldIssue, toFieldError } from './errors.ts';

type Issue = z.core.$ZodIssue;

/**
 * Parses a body with a schema and reports issues in Discord's format: code 50035 and, under "errors", the path of every invalid
 * field down to its `_errors`. Discord: "Error Messages".
 *
 * @throws DiscordApiError
 */
export function validate<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) return parsed.data;
  const errors: FieldErrors = {};
  for (const issue of parsed.error.issues) addFieldError(errors, issue.path, describeIssue(issue));
  throw new DiscordApiError(400, 50035, 'Invalid Form Body', errors);
}

function addFieldError(errors: FieldErrors, path: readonly PropertyKey[], error: FieldError): void {
  let node = errors;
  for (const step of path) {
    const name = String(step);
    const inner = node[name];
    if (inner !== undefined && !Array.isArray(inner)) node = inner as FieldErrors;
    else {
      const created: FieldErrors = {};
      node[name] = created;
      node = created;
    }
  }
  const existing = node['_errors'];
  node['_errors'] = Array.isArray(existing) ? [...existing, error] : [error];
}

/** Discord's code and message for a schema issue. */
function describeIssue(issue: Issue): FieldError {
  if (issue.code === 'custom') return { code: String(issue.params?.['code'] ?? 'INVALID'), message: issue.message };
  if (issue.input === undefined || (issue.code === 'too_small' && issue.input === '')) {
    return toFieldError(['BASE_TYPE_REQUIRED']);
  }
  if (issue.code === 'too_big' || issue.code === 'too_small') return sizeError(issue);
  if (issue.code === 'invalid_type') return typeError(issue.expected);
  if (issue.code === 'invalid_value') {
    return { code: 'BASE_TYPE_CHOICES', message: `Value must be one of {${issue.values.map(String).join(', ')}}.` };
  }
  if (issue.code === 'invalid_union') {
    return { code: 'UNION_TYPE_CHOICES', message: 'Value of field "type" must be one of the supported types.' };
  }
  return { code: 'STRING_TYPE_REGEX', message: 'String value did not match validation regex.' };
}

function sizeError(issue: Extract<Issue, { code: 'too_big' | 'too_small' }>): FieldError {
  const limit = String(issue.code === 'too_big' ? issue.maximum : issue.minimum);
  const side = issue.code === 'too_big' ? 'MAX' : 'MIN';
  const comparison = issue.code === 'too_big' ? 'or fewer' : 'or more';
  if (issue.origin === 'string' || issue.origin === 'array') {
    return { code: `BASE_TYPE_${side}_LENGTH`, message: `Must be ${limit} ${comparison} in length.` };
  }
  const bound = issue.code === 'too_big' ? 'less than or equal to' : 'greater than or equal to';
  return { code: `NUMBER_TYPE_${side}`, message: `int value should be ${bound} ${limit}.` };
}

function typeError(expected: string): FieldError {
  if (expected === 'array') return { code: 'LIST_TYPE_CONVERT', message: 'Only iterables may be used in a ListType' };
  if (expected === 'object') {
    return { code: 'MODEL_TYPE_CONVERT', message: 'Only dictionaries may be used in a ModelType' };
  }
  if (expected === 'number' || expected === 'int') return { code: 'NUMBER_TYPE_COERCE', message: 'Value is not int.' };
  return { code: `${expected.toUpperCase()}_TYPE_CONVERT`, message: `Could not interpret value as ${expected}.` };
}

/**
 * Parts of the schemas of messages, components and modals. Lengths count UTF-16 code units, which is at least as strict as Discord.
 */

export const snowflake = z.string().regex(snowflakePattern);
export const text = (max: number) => z.string().trim().max(max);
export const requiredText = (max: number) => z.string().trim().min(1).max(max);

export const url = z
  .string()
  .max(2048)
  .superRefine((value, context) => {
    if (/^attachment:\/\/\S+$/.test(value)) return;
    if (!URL.canParse(value)) addIssue(context, [], 'URL_TYPE_INVALID_URL');
    else if (!['http:', 'https:'].includes(new URL(value).protocol)) {
      addIssue(context, [], 'URL_TYPE_INVALID_SCHEME');
    }
  });

/** Adds an issue with a Discord error code. */
export function addIssue(context: z.RefinementCtx, path: PropertyKey[], ...issue: FieldIssue): void {
  const { code, message } = toFieldError(issue);
  context.addIssue({ code: 'custom', path, message, params: { code }, input: context.value });
}
