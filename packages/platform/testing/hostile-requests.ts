/** Paths without a route, and malformed paths. */
export const hostilePaths = [
  '/',
  '/..%2f..%2fetc/passwd',
  '/%',
  '/%E0%A4%A',
  '//example.com/%2e%2e',
  '/a\\b',
  '/\u00ff\u0080',
  'http://example.com/healthz',
  '*',
  `/${'x/'.repeat(4_000)}`,
] as const;

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'PROPFIND', 'QUERY'] as const;
const heads = [
  '',
  'Authorization: Bearer \r\n',
  `Authorization: Bearer ${'a '.repeat(3_000)}\r\n`,
  'Authorization: Basic \u00ff\u00fe\r\n',
  'x-webhook-signature: a\r\nx-webhook-signature: b\r\n',
  'Host: a\r\nHost: b\r\n',
  'Cookie: __proto__=1; constructor=2\r\n__proto__: x\r\nconstructor: y\r\n',
  'Content-Type: application/json; charset=utf-16\r\nAccept-Encoding: \u00ff\r\nRange: bytes=-1\r\n',
  'X-Forwarded-For: <script>\r\nX-Forwarded-Host: evil.example\r\nX-HTTP-Method-Override: DELETE\r\n',
] as const;
const bodies = [
  '',
  '[',
  '{"__proto__":{}}',
  '['.repeat(60_000),
  '\u00ef\u00bb\u00bf{}',
  '\0\u00ff\u00fe',
  'a=1&a=2',
] as const;

/** The bytes of an HTTP request, and a label for assertion messages. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly label: string;
  readonly bytes: Buffer;
}

/** Combines every method with every path. Unusual headers and bodies alternate.
 *
 * @param credentials headers of an authorized request, which are one of the alternatives
 */
export function hostileRequests(paths: readonly string[], credentials = ''): HostileRequest[] {
  const all = [credentials, ...heads];
  return methods.flatMap((method, m) =>
    paths.map((path, p) => {
      const head = all[(m * paths.length + p) % all.length] ?? '';
      const body = bodies[(m + p) % bodies.length] ?? '';
      const first = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n`;
      const bytes = Buffer.from(`${first}Content-Length: ${body.length}\r\n${head}\r\n${body}`, 'latin1');
      return { method, path, label: `${method} ${path.slice(0, 80)} ${JSON.stringify(head.slice(0, 80))}`, bytes };
    }),
  );
}
