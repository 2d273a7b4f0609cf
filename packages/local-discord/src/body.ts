import type { IncomingMessage } from 'node:http';
import { readBytes } from '@tallyhook/platform/http/read-bytes';
import { parseJson } from '@tallyhook/platform/json';
import { errorResponse, fieldError, raise } from './errors.ts';

/** "The maximum request size when sending a message is 25 MiB." Discord: "Create Message". */
const maxBodyBytes = 25 * 1024 * 1024;

export interface UploadedFile {
  /** The number in the field name `files[0]`; the payload's attachments refer to it. */
  readonly number: number;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface RequestBody {
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
}

interface BodyOptions {
  readonly acceptsForm?: boolean;
}

/** Reads the body of a request, as {@link parseBody} has it. */
export async function readRequestBody(request: IncomingMessage, options: BodyOptions = {}): Promise<RequestBody> {
  const bytes = (await readBytes(request, maxBodyBytes)) ?? raise(errorResponse.tooLarge());
  return await parseBody(bytes, request.headers['content-type'] ?? '', options);
}

/** Parses JSON, if accepted a URL-encoded form as an object, or a multipart form with `payload_json` and files. Discord: "Uploading Files". */
export async function parseBody(
  bytes: Buffer,
  contentType: string,
  { acceptsForm = false }: BodyOptions = {},
): Promise<RequestBody> {
  if (bytes.length === 0) return { json: undefined, files: [] };
  if (contentType.startsWith('multipart/form-data')) return await readMultipart(bytes, contentType);
  if (contentType.startsWith('application/json')) return { json: parse(bytes.toString('utf8')), files: [] };
  if (acceptsForm && contentType.startsWith('application/x-www-form-urlencoded'))
    return { json: Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))), files: [] };
  throw fieldError([], 'CONTENT_TYPE_INVALID');
}

async function readMultipart(bytes: Buffer, contentType: string): Promise<RequestBody> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw errorResponse.invalidJson();
    });
  const payload = form.get('payload_json');
  const files: UploadedFile[] = [];
  for (const [field, value] of form) {
    const number = /^files\[(\d+)\]$/.exec(field)?.[1];
    if (number === undefined || typeof value === 'string') continue;
    const content = Buffer.from(await value.arrayBuffer());
    files.push({ number: Number(number), filename: value.name, contentType: value.type, bytes: content });
  }
  return { json: typeof payload === 'string' ? parse(payload) : undefined, files };
}

function parse(text: string): unknown {
  const json = parseJson(text);
  if (json === undefined) throw errorResponse.invalidJson();
  return json;
}
