import { formatCount } from './durations.ts';
import { TallyhookError } from './errors.ts';

/**
 * A problem with a setting. The message for the operator is `${setting} ${problem} ${hint}`. It contains no secret.
 * @category Errors
 */
export interface ConfigIssue {
  readonly setting: string;
  /** Rest of a sentence that begins with the name of the setting. */
  readonly problem: string;
  /** How to fix it. */
  readonly hint: string;
  /** The names and indexes that lead to the invalid part of options or of a file; missing for a variable. */
  readonly path?: readonly (string | number)[];
}

/**
 * The configuration is invalid. Reports all issues with their hints, without the value of any secret. The code is
 * `invalid_options` for the options of a function, and `invalid_settings` for variables and files.
 * @category Errors
 */
export class InvalidConfigError extends TallyhookError {
  readonly issues: readonly ConfigIssue[];

  /** @param caller the function whose options are invalid; null for variables and files */
  constructor(issues: readonly ConfigIssue[], caller: string | null = null) {
    const lines = issues.map(({ setting, problem, hint }) => `  ${setting} ${problem}\n    → ${hint}`);
    const what = caller === null ? 'configuration' : `options of ${caller}`;
    super(
      caller === null ? 'invalid_settings' : 'invalid_options',
      `Invalid ${what} (${formatCount(issues.length, 'issue')}):\n${lines.join('\n')}`,
    );
    this.issues = issues;
  }
}
