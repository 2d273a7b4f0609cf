import { parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import type { FuzzRequest, FuzzResponse } from './fuzz-request.ts';

const responseSchema = z.record(z.string(), z.unknown());
const outcomes = ['recorded', 'duplicate', 'test', 'quarantined'];

/** How a response violates the contract; null if it does not. Implemented independently of the receiver. */
export function findViolation(request: FuzzRequest, response: FuzzResponse): string | null {
  const allowed = allowedStatuses(request);
  if (!allowed.includes(response.status))
    return `${response.status} instead of ${allowed.join(' or ')}: ${response.text}`;
  if (response.type !== 'application/json; charset=utf-8') return `the content type ${response.type}`;
  const json = responseSchema.safeParse(parseJson(response.text)).data;
  const keys = Object.keys(json ?? {}).join();
  if (response.status === 200) {
    const isValid = keys === 'received,outcome' && outcomes.includes(String(json?.['outcome']));
    return isValid ? null : `not the response to a delivery: ${response.text}`;
  }
  const isValid = keys === 'success,error' && json?.['success'] === false && typeof json['error'] === 'string';
  return isValid ? null : `not a rejection: ${response.text}`;
}

function allowedStatuses({ path, signing, body }: FuzzRequest): number[] {
  if (body.length > 64 * 1024) return [413];
  if (signing !== 'vote' && signing !== 'premium') return [401];
  if (path !== '/webhooks' && path !== `/webhooks/${signing}`) return [401];
  if (parseJson(body.toString('utf8')) === undefined) return [400];
  // 401 if the event belongs to the other family.
  return [200, 401];
}
