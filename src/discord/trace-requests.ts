import type { RESTOptions } from '@discordjs/rest';
import type { Tracing } from '@tallyhook/platform/tracing/tracing';

type MakeRequest = RESTOptions['makeRequest'];

/** Requests to Discord with a span each. The URL is not an attribute: it can contain the token of an interaction. */
export function traceRequests(makeRequest: MakeRequest, tracing: Tracing): MakeRequest {
  return (url, init) => {
    const method = init.method ?? 'GET';
    const { pathname, hostname, port } = new URL(url);
    const template = templateOf(pathname);
    const attributes = {
      'http.request.method': method,
      'url.template': template,
      'server.address': hostname,
      'server.port': port === '' ? undefined : Number(port),
    };
    return tracing.span(`${method} ${template}`, { kind: 'client', attributes }, async (span) => {
      const response = await makeRequest(url, init);
      span.set({ 'http.response.status_code': response.status });
      if (response.status >= 400) span.fail(String(response.status));
      return response;
    });
  };
}

/** After these, the second parameter is a token. */
const beforeTokens: readonly string[] = ['interactions', 'webhooks'];

/** The path with placeholders for everything that is not the name of a resource, such as `/channels/{id}/messages`. */
export function templateOf(path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => {
      if (beforeTokens.includes(segments[index - 2] ?? '')) return '{token}';
      return /^(@?[a-z-]{0,24}|v\d+)$/.test(segment) ? segment : '{id}';
    })
    .join('/');
}
