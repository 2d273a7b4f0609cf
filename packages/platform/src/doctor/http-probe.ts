import { rootCauseOf } from '../errors.ts';

/** Response to a probe. `status` is null if there was none; then `reason` is the cause, such as ECONNREFUSED. */
export type HttpProbeResult =
  | { readonly status: number; readonly headers: Headers; readonly body: string }
  | { readonly status: null; readonly reason: string };

/** More than any body that is examined (bytes). */
const maxBodyLength = 64 * 1024;

/** Sends one request without following redirects. Never rejects. */
export async function probeHttp(url: string, init: RequestInit, timeoutMs: number): Promise<HttpProbeResult> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    return { status: response.status, headers: response.headers, body: await readBeginning(response) };
  } catch (error) {
    return { status: null, reason: rootCauseOf(error) };
  }
}

async function readBeginning({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= maxBodyLength) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
