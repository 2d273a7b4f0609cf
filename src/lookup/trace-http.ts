import type { Tracing } from '../platform/tracing/tracing.ts';
import type { LookupHttp } from './http.ts';

/** Requests to the lookup API with a span each. The ids in the path, which are those of members, are left out. */
export function traceHttp(http: LookupHttp, baseUrl: string, tracing: Tracing): LookupHttp {
  const { hostname, port } = new URL(baseUrl);
  return {
    get(request, deadline, signal) {
      const [resource] = request.path.split('/', 1);
      const template = request.path === resource ? `/${resource}` : `/${resource}/{id}`;
      const attributes = {
        'http.request.method': 'GET',
        'url.template': template,
        'server.address': hostname,
        'server.port': port === '' ? undefined : Number(port),
      };
      return tracing.span(`GET ${template}`, { kind: 'client', attributes }, () => http.get(request, deadline, signal));
    },
  };
}
