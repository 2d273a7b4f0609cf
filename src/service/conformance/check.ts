import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { ListingKind } from '../listing/listing.ts';
import type { Probe, ProbeResponse } from './probe.ts';

/** The keys to test with; what a missing one would show is skipped. */
export type Keys = Readonly<Partial<Record<ListingKind, string>>>;

export interface CheckContext {
  readonly probe: Probe;
  readonly keys: Keys;
  readonly clock: Clock;
}

/** What a line came to. `differs`: the document leaves it open, and the service decides otherwise than this one. */
export type CheckVerdict =
  | { readonly outcome: 'holds' }
  | { readonly outcome: 'fails' | 'differs' | 'skipped'; readonly saw: string };

/** One line of the document, or of what this service decided where the document is silent, and how to see whether it holds. */
export interface ConformanceCheck {
  /** The section of the document. */
  readonly section: string;
  readonly line: string;
  /** `choice` where the document is silent: to decide otherwise is no failure. */
  readonly from: 'document' | 'choice';
  /** Null when it holds, else what was seen instead. @throws Skip */
  readonly see: (bench: CheckContext) => Promise<string | null>;
}

/** Thrown by a check that cannot be made here. */
export class Skip extends Error {}

/** A key of this kind. @throws Skip */
export function keyOf({ keys }: CheckContext, kind: ListingKind): string {
  const key = keys[kind];
  if (key === undefined) throw new Skip(`no ${kind} key was given`);
  return key;
}

/** Asks with a key of this kind, in the preferred form. @throws Skip */
export function requestAs(
  bench: CheckContext,
  kind: ListingKind,
  path: string,
  method = 'GET',
): Promise<ProbeResponse> {
  return bench.probe.ask(path, { method, headers: { 'X-API-Key': keyOf(bench, kind) } });
}

/** What is wrong with an answer that should be a failure in its envelope (document, section 7); null if nothing is. */
export function failureFault(answer: ProbeResponse, status: number): string | null {
  return answer.status === status ? envelopeFault(answer) : `status ${answer.status}`;
}

/** What is wrong with the form of a failure, whatever its status (document, sections 2.1, 4 and 7); null if nothing is. */
export function envelopeFault({ headers, body }: ProbeResponse): string | null {
  const type = headers.get('content-type') ?? 'no content type';
  if (!isJson(type)) return type;
  if (body['success'] !== false) return 'success is not false';
  return typeof body['error'] === 'string' ? null : 'error is no string';
}

export function isJson(contentType: string): boolean {
  return /^application\/json\b/i.test(contentType);
}

export async function verdictOf(check: ConformanceCheck, bench: CheckContext): Promise<CheckVerdict> {
  try {
    const saw = await check.see(bench);
    if (saw === null) return { outcome: 'holds' };
    return { outcome: check.from === 'document' ? 'fails' : 'differs', saw };
  } catch (thrown) {
    if (thrown instanceof Skip) return { outcome: 'skipped', saw: thrown.message };
    if (thrown instanceof z.ZodError) return { outcome: 'fails', saw: firstIssue(thrown) };
    return { outcome: 'fails', saw: thrown instanceof Error ? `no answer (${thrown.name})` : 'no answer' };
  }
}

/** The first fault of an answer in another shape. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  return issue ? `${issue.path.join('.') || 'body'}: ${issue.message}` : 'another shape';
}
