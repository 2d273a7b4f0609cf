import { type Answered, ask } from './running.ts';

/** A client that is signed in as a member, with the CSRF token of its session. */
export interface Visit {
  open(path: string, headers?: Record<string, string>): Promise<Answered>;
  send(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answered>;
  readonly token: string;
  readonly cookie: string;
}

/** Signs in as this member. */
export async function visit(
  { service }: { readonly service: { readonly url: string } },
  userId: string,
): Promise<Visit> {
  const signedIn = await ask(`${service.url}/sign-in`, { method: 'POST', body: new URLSearchParams({ userId }) });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { text } = await ask(`${service.url}/`, { headers: { cookie } });
  const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return {
    token,
    cookie,
    open: (path, headers = {}) => ask(service.url + path, { headers: { cookie, ...headers } }),
    send: (path, fields, headers = {}) =>
      ask(service.url + path, {
        method: 'POST',
        headers: { cookie, ...headers },
        body: new URLSearchParams({ token, ...fields }),
      }),
  };
}
