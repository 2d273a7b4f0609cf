/** Something that a page answers in place of what was asked, with words for the visitor. */
export class PageFault extends Error {
  readonly status: 400 | 403 | 404 | 405 | 413 | 503;

  constructor(status: PageFault['status'], message: string) {
    super(message);
    this.status = status;
  }
}

export function notFound(): PageFault {
  return new PageFault(404, 'There is no such page.');
}
