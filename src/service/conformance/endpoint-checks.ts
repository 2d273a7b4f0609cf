import type { ListingKind } from '../listing/listing.ts';
import { type ConformanceCheck, failureFault, isJson, keyOf, requestAs } from './check.ts';
import type { DocumentedEndpoint } from './documented-endpoints.ts';

const listingKinds: readonly ListingKind[] = ['server', 'bot'];
/** A user id that can hardly have voted. */
export const nobody = '100000000000000001';
const notAKey = 'no-such-key';

/** What holds for every endpoint, made from its description. */
export function endpointChecks(endpoint: DocumentedEndpoint): ConformanceCheck[] {
  const { path: template, keyTypes } = endpoint;
  const path = template.replace(/\{\w+\}/g, nobody);
  const document = (section: string, line: string, see: ConformanceCheck['see']): ConformanceCheck => ({
    section,
    line: `GET ${template} ${line}`,
    from: 'document',
    see,
  });
  const choice = (line: string, see: ConformanceCheck['see']): ConformanceCheck => ({
    section: 'silent',
    line: `GET ${template} ${line}`,
    from: 'choice',
    see,
  });
  const [first = 'server'] = keyTypes;
  const otherKinds = listingKinds.filter((kind) => !keyTypes.includes(kind));

  return [
    ...keyTypes.flatMap((kind) => [
      document('2, 4', `answers a ${kind} key with the success envelope and every field shown`, async (bench) => {
        const answer = await requestAs(bench, kind, path);
        return answer.status === 200 ? endpoint.faultByDocument(answer.body) : `status ${answer.status}`;
      }),
      document('5.3', `takes a ${kind} key as the query parameter "key"`, async (bench) => {
        const { status } = await bench.probe.ask(`${path}?key=${encodeURIComponent(keyOf(bench, kind))}`);
        return status === 200 ? null : `status ${status}`;
      }),
    ]),
    document('4', 'answers in JSON', async (bench) => {
      const type = (await requestAs(bench, first, path)).headers.get('content-type') ?? 'no content type';
      return isJson(type) ? null : type;
    }),
    document('2.1', endpoint.hasMeta ? 'has a meta' : 'has no meta', async (bench) => {
      const { body } = await requestAs(bench, first, path);
      return 'meta' in body === endpoint.hasMeta ? null : endpoint.hasMeta ? 'no meta' : 'a meta';
    }),
    ...otherKinds.map((kind) =>
      document('4, 5.5', `refuses a ${kind} key with 400`, async (bench) =>
        failureFault(await requestAs(bench, kind, path), 400),
      ),
    ),
    document('5.4', 'refuses a missing key with 401', async ({ probe }) => failureFault(await probe.ask(path), 401)),
    document('5.4', 'refuses an invalid key with 401', async ({ probe }) =>
      failureFault(await probe.ask(path, { headers: { 'X-API-Key': notAKey } }), 401),
    ),
    ...endpoint.pathParameters.flatMap((name) => [
      document('4', `refuses a ${name} that is not numeric with 400`, async (bench) =>
        failureFault(await requestAs(bench, first, template.replace(`{${name}}`, 'abc')), 400),
      ),
      document('4', `refuses a ${name} that is numeric in part with 400`, async (bench) =>
        failureFault(await requestAs(bench, first, template.replace(`{${name}}`, '12a')), 400),
      ),
    ]),
    choice('answers in the shapes that the document leaves open', async (bench) => {
      const answer = await requestAs(bench, first, path);
      return answer.status === 200 ? endpoint.faultByChoice(answer.body) : `status ${answer.status}`;
    }),
    choice('looks at the header where both keys are sent', async (bench) => {
      const question = { headers: { 'X-API-Key': keyOf(bench, first) } };
      const { status } = await bench.probe.ask(`${path}?key=${notAKey}`, question);
      return status === 200 ? null : `status ${status}`;
    }),
    choice('answers HEAD like GET, without a body', async (bench) => {
      const { status, text } = await requestAs(bench, first, path, 'HEAD');
      return status === 200 && text === '' ? null : `status ${status}`;
    }),
    choice('refuses POST with 405 and Allow', async (bench) => {
      const answer = await requestAs(bench, first, path, 'POST');
      return failureFault(answer, 405) ?? (answer.headers.get('allow') === 'GET, HEAD' ? null : 'another Allow');
    }),
    choice('answers the same with a slash at the end', async (bench) => {
      const { status } = await requestAs(bench, first, `${path}/`);
      return status === 200 ? null : `status ${status}`;
    }),
    choice('answers 304 to the entity tag that it gave', async (bench) => {
      const tag = (await requestAs(bench, first, path)).headers.get('etag');
      if (tag === null) return 'no entity tag';
      // Without a Cache-Control of its own, fetch would send one that asks for a fresh answer.
      const headers = { 'X-API-Key': keyOf(bench, first), 'If-None-Match': tag, 'Cache-Control': 'max-age=0' };
      const { status } = await bench.probe.ask(path, { headers });
      return status === 304 ? null : `status ${status}`;
    }),
  ];
}
