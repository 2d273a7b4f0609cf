import { HttpError } from '@tallyhook/platform/web/http-error';
import { englishTexts, type ServiceTexts } from './texts.ts';

/** A rejected request of a page, with the reason in the visitor's language. Its message is English, for programs. */
export class PageError extends HttpError {
  readonly explain: (texts: ServiceTexts) => string;

  constructor(
    status: HttpError['status'],
    explain: (texts: ServiceTexts) => string,
    retryAfterSeconds: number | null = null,
  ) {
    super(status, explain(englishTexts()), retryAfterSeconds);
    this.explain = explain;
  }
}
