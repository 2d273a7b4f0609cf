/** Something that a page answers in place of what was asked, with words for the visitor. */
export class PageError extends Error {
  readonly status: 400 | 403 | 404 | 405 | 413 | 503;

  constructor(status: PageError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

export function notFound(): PageError {
  return new PageError(404, 'There is no such page.');
}
