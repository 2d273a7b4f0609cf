import type { ServiceListingKind } from '../listing/listing.ts';
import {
  type ConformanceCheck,
  chosen,
  documented,
  failureIssue,
  isJson,
  requestWithKey,
  requireKey,
  statusIssue,
} from './check.ts';
import type { DocumentedEndpoint } from './documented-endpoints.ts';

const listingKinds: readonly ServiceListingKind[] = ['server', 'bot'];
/** The id of a user who has most probably never voted. */
export const unknownUserId = '100000000000000001';
const invalidKey = 'no-such-key';

/** The checks of every endpoint, generated from its description in the OpenAPI document. */
export function endpointChecks(endpoint: DocumentedEndpoint): ConformanceCheck[] {
  const { path: template, keyTypes } = endpoint;
  const path = template.replace(/\{\w+\}/g, unknownUserId);
  const document = (section: string, line: string, run: ConformanceCheck['run']) =>
    documented(section, `GET ${template} ${line}`, run);
  const choice = (line: string, run: ConformanceCheck['run']) => chosen(`GET ${template} ${line}`, run);
  const [firstKind = 'server'] = keyTypes;
  const otherKinds = listingKinds.filter((kind) => !keyTypes.includes(kind));

  return [
    ...keyTypes.flatMap((kind) => [
      document(
        '2, 4',
        `with a ${kind} key returns the success envelope with every documented field`,
        async (context) => {
          const response = await requestWithKey(context, kind, path);
          return statusIssue(response, 200) ?? endpoint.documentedIssue(response.body);
        },
      ),
      document('5.3', `accepts a ${kind} key as the query parameter "key"`, async (context) => {
        const query = `key=${encodeURIComponent(requireKey(context, kind))}`;
        return statusIssue(await context.client.request(`${path}?${query}`), 200);
      }),
    ]),
    document('4', 'returns JSON', async (context) => {
      const { headers } = await requestWithKey(context, firstKind, path);
      const type = headers.get('content-type') ?? 'no content type';
      return isJson(type) ? null : type;
    }),
    document('2.1', endpoint.hasMeta ? 'has a meta' : 'has no meta', async (context) => {
      const { body } = await requestWithKey(context, firstKind, path);
      return 'meta' in body === endpoint.hasMeta ? null : endpoint.hasMeta ? 'no meta' : 'a meta';
    }),
    ...otherKinds.map((kind) =>
      document('4, 5.5', `rejects a ${kind} key with 400`, async (context) =>
        failureIssue(await requestWithKey(context, kind, path), 400),
      ),
    ),
    document('5.4', 'rejects a missing key with 401', async ({ client }) =>
      failureIssue(await client.request(path), 401),
    ),
    document('5.4', 'rejects an invalid key with 401', async ({ client }) =>
      failureIssue(await client.request(path, { headers: { 'X-API-Key': invalidKey } }), 401),
    ),
    ...endpoint.pathParameters.flatMap((name) => [
      document('4', `rejects a ${name} that is not numeric with 400`, async (context) =>
        failureIssue(await requestWithKey(context, firstKind, template.replace(`{${name}}`, 'abc')), 400),
      ),
      document('4', `rejects a ${name} that is partly numeric with 400`, async (context) =>
        failureIssue(await requestWithKey(context, firstKind, template.replace(`{${name}}`, '12a')), 400),
      ),
    ]),
    document('1, 4', 'is read-only: POST is not successful', async (context) => {
      const { status } = await requestWithKey(context, firstKind, path, 'POST');
      return status >= 400 ? null : `status ${status}`;
    }),
    choice("matches tallyhook's schema where the document does not define one", async (context) => {
      const response = await requestWithKey(context, firstKind, path);
      return statusIssue(response, 200) ?? endpoint.fullSchemaIssue(response.body);
    }),
    choice('uses the key of the header if both are sent', async (context) => {
      const headers = { 'X-API-Key': requireKey(context, firstKind) };
      return statusIssue(await context.client.request(`${path}?key=${invalidKey}`, { headers }), 200);
    }),
    choice('returns the same for HEAD, without a body', async (context) => {
      const { status, text } = await requestWithKey(context, firstKind, path, 'HEAD');
      return status === 200 && text === '' ? null : `status ${status}`;
    }),
    choice('rejects POST with 405 and an Allow that lists GET', async (context) => {
      const response = await requestWithKey(context, firstKind, path, 'POST');
      const allowed = response.headers.get('allow') ?? 'no Allow';
      return failureIssue(response, 405) ?? (/\bGET\b/.test(allowed) ? null : allowed);
    }),
    choice('returns the same with a trailing slash', async (context) =>
      statusIssue(await requestWithKey(context, firstKind, `${path}/`), 200),
    ),
    choice('returns 304 for its own ETag', async (context) => {
      const tag = (await requestWithKey(context, firstKind, path)).headers.get('etag');
      if (tag === null) return 'no ETag';
      // Without a Cache-Control header, fetch would send one that requests a full response.
      const headers = {
        'X-API-Key': requireKey(context, firstKind),
        'If-None-Match': tag,
        'Cache-Control': 'max-age=0',
      };
      return statusIssue(await context.client.request(path, { headers }), 304);
    }),
  ];
}
