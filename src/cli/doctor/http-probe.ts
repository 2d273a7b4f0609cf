/** What came back from an address. `status` is null when nothing did; `reason` then says why, such as ECONNREFUSED. */
export type HttpProbeResult =
  | { readonly status: number; readonly headers: Headers; readonly body: string }
  | { readonly status: null; readonly reason: string };

/** More than any answer that is looked at (bytes). */
const mostRead = 64 * 1024;

/** One request, no redirect followed, never rejected. `patience` in ms. */
export async function probeHttp(url: string, init: RequestInit, patience: number): Promise<HttpProbeResult> {
  try {
    const signal = AbortSignal.timeout(patience);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    return { status: response.status, headers: response.headers, body: await beginningOf(response) };
  } catch (error) {
    return { status: null, reason: reasonOf(error) };
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    size += part.byteLength;
    if (size >= mostRead) break;
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The innermost word on it: fetch says only "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error.cause !== undefined) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
