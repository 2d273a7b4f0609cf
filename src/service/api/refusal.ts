/** An answer of the API that is no success: its status and the message of the failure envelope (document, section 7). */
export class Refusal extends Error {
  readonly status: 400 | 401 | 404 | 405 | 429;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: Refusal['status'], message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
