import type { z } from 'zod';
import type { TextIn, Texts, TextValues } from '../../texts/texts.ts';

type RuleName = TextIn<'setup.rules'>;
/** A list is joined in the language of the text. */
type RuleValue = string | number | readonly string[];

/** A rule for the values of a setting, which `/setup` and the console say in the language of the member. */
export interface Rule {
  readonly name: RuleName;
  readonly values: Readonly<Record<string, RuleValue>>;
}

type RuleValues<Name extends RuleName> =
  TextValues<`setup.rules.${Name}`> extends readonly [infer Values]
    ? [values: { readonly [Placeholder in keyof Values]: RuleValue }]
    : [];

export function rule<Name extends RuleName>(name: Name, ...[values]: RuleValues<Name>): Rule {
  return { name, values: (values ?? {}) as Rule['values'] };
}

/**
 * The error of a schema for a value that breaks a rule.
 * @param message for operators: completes "… is invalid: "
 */
export function breaks(broken: Rule, message: string) {
  return {
    error(issue: z.core.$ZodRawIssue): string {
      issue['rule'] = broken;
      return message;
    },
  };
}

/** What rule a value breaks; null if the schema names none. */
export function ruleOf(issue: z.core.$ZodIssue & { readonly rule?: Rule }): Rule | null {
  return issue.rule ?? (issue.code === 'custom' ? ((issue.params?.['rule'] as Rule | undefined) ?? null) : null);
}

/** A rule in a language. Plain. */
export function ruleText({ name, values }: Rule, { text, list }: Texts): string {
  const shown = Object.entries(values).map(
    ([key, value]) => [key, typeof value === 'object' ? list(value) : value] as const,
  );
  // The types of `rule` say which values a text needs.
  return (text as (key: `setup.rules.${RuleName}`, values: object) => string)(
    `setup.rules.${name}`,
    Object.fromEntries(shown),
  );
}
