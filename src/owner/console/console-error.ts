import { defaultLocale, isEnglish } from '@tallyhook/platform/texts/locale';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type Texts, textsIn } from '../../texts/texts.ts';

/** An error that the console explains in every language. */
export class ConsoleError extends HttpError {
  readonly explain: (texts: Texts) => string;

  constructor(status: HttpError['status'], explain: (texts: Texts) => string, retryAfterSeconds: number | null = null) {
    super(status, explain(textsIn(defaultLocale)), retryAfterSeconds);
    this.explain = explain;
  }
}

/**
 * What is wrong, in the language of the page. The errors that the API has as well are English sentences with details, which
 * other languages replace by what their status says.
 */
export function explainError(error: HttpError, texts: Texts): string {
  if (error instanceof ConsoleError) return error.explain(texts);
  if (isEnglish(texts.locale)) return error.message;
  const { text } = texts;
  if (error.status === 500) return text('failure.needsOperator');
  if (error.status >= 500) return text('webPage.unavailable');
  const byStatus: Readonly<Record<number, string>> = {
    404: text('console.errors.notFound'),
    409: text('console.errors.conflict'),
    429: text('webPage.tooMany'),
  };
  return byStatus[error.status] ?? text('console.errors.invalid');
}
