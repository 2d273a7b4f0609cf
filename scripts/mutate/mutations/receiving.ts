import type { Mutation } from '../mutation.ts';

/** Deliveries: signatures, keys, payloads, and the exported `verify`. */
export const receivingMutations: readonly Mutation[] = [
  {
    file: 'src/webhook/secret-index.ts',
    find: 'return timingSafeEqual(computed, expected);',
    replace: 'return !timingSafeEqual(computed, expected);',
    breaks: 'a delivery with another signature is rejected',
  },
  {
    file: 'src/webhook/secret-index.ts',
    find: 'secretBytes.length > blockLength ?',
    replace: 'secretBytes.length >= 128 ?',
    breaks: 'secrets longer than a block are hashed before use',
  },
  {
    file: 'src/webhook/signature.ts',
    find: 'return isSignature(signature) && isEqual(sign(body, secret), signature);',
    replace: 'return isSignature(signature) && isEqual(sign(body, secret).slice(0, 32), signature.slice(0, 32));',
    breaks: 'the whole signature is compared, not its first half',
  },
  {
    file: 'src/webhook/keyring.ts',
    find: 'return listing === null ? sharedIndex : byListing.get(listing);',
    replace: 'return sharedIndex;',
    breaks: 'the address of a listing accepts the secrets of that listing only',
  },
  {
    file: 'src/webhook/keyring.ts',
    find: 'shared = nextShared;\n      sharedIndex = indexSecrets(shared, withoutSecrets);',
    replace:
      'shared = nextShared;\n      sharedIndex = indexSecrets([...shared, ...listings.filter(({ linked }) => !linked)], withoutSecrets);',
    breaks: 'a secret that was rotated away is rejected',
  },
  {
    file: 'src/webhook/secret-index.ts',
    find: "for (const secret of premiumSecrets) append(bySecret, secret, { listing, family: 'premium' });",
    replace: "for (const secret of premiumSecrets) append(bySecret, secret, { listing, family: 'vote' });",
    breaks: 'the secret of premium does not sign votes',
  },
  {
    file: 'src/webhook/signed-form.ts',
    find: '/^[0-9a-f]{64}$/',
    replace: '/^[0-9a-f]{64}/',
    breaks: 'a signature has exactly 64 hex digits',
  },
  {
    file: 'src/webhook/fields.ts',
    find: 'const clockToleranceMs = 5 * minute;',
    replace: 'const clockToleranceMs = 5 * 60 * minute;',
    breaks: 'an event more than five minutes ahead of the clock is quarantined',
  },
  {
    file: 'src/webhook/fields.ts',
    find: "`.${fraction.slice(0, 3).padEnd(3, '0')}`",
    replace: "`.${fraction.slice(0, 3).padStart(3, '0')}`",
    breaks: 'the fraction of a second in a timestamp is read as a decimal: .5 is 500 ms',
  },
  {
    file: 'src/webhook/fields.ts',
    find: 'credits >= 0 && credits <= maxCredits',
    replace: 'credits <= maxCredits',
    breaks: 'a delivery cannot take credits away',
  },
  {
    file: 'src/webhook/payload.ts',
    find: "if (readTestFlag(readField(json, 'test'))) return readTest(json, kind);",
    replace: '',
    breaks: 'a test delivery pays nothing',
  },
  {
    file: 'src/webhook/premium-payload.ts',
    find: 'if (recipient !== null) return { userId: recipient, isRecipient: true, giftedBy: giver === recipient ? null : giver };',
    replace: '',
    breaks: 'the recipient of a gift holds it, not the giver',
  },
  {
    file: 'src/core/receiving/route-delivery.ts',
    find: 'const isAmbiguous = others.some(({ kind }) => kind === first.kind);',
    replace: 'const isAmbiguous = false;',
    breaks: 'listings that share a secret are distinguished by the target of the vote',
  },
  {
    file: 'src/webhook/delivery-quota.ts',
    find: 'received + bytes > maxBytes',
    replace: 'bytes > maxBytes',
    breaks: 'the bytes of all deliveries of an hour count towards the quota of a listing',
  },
  {
    file: 'src/webhook/receiver.ts',
    find: "if (isEncoded(request.headers['content-encoding'])) return reject('webhook_body_encoded');",
    replace: '',
    breaks: 'a compressed body is rejected with 415',
  },
  {
    file: 'src/webhook/verification/verify.ts',
    find: 'return { families, signed: true, ...form };',
    replace: "return { families: ['vote', 'premium'], signed: true, ...form };",
    breaks: '`verify` accepts premium events only with the secret of premium',
  },
  {
    file: 'src/webhook/verification/headers.ts',
    find: 'each.toLowerCase() === name',
    replace: 'each === name',
    breaks: 'headers are found in any case',
  },
  {
    file: 'src/webhook/verification/received-body.ts',
    find: 'if (bytes !== null && bytes.length > maxBodyBytes)',
    replace: 'if (bytes !== null && bytes.length > 2 * maxBodyBytes)',
    breaks: '`verify` rejects a body that is too large',
  },
  {
    file: 'src/exports/client.ts',
    find: "export { TallyhookError } from '../platform/errors.ts';",
    replace: "export { StoreUnavailableError as TallyhookError } from '../platform/errors.ts';",
    breaks: 'errors of tallyhook/client are instances of its TallyhookError',
  },
  {
    file: 'src/platform/http/body.ts',
    find: "if (length > maxBytes) fail('too large');",
    replace: "if (chunk.length > maxBytes) fail('too large');",
    breaks: 'a body that is sent in many small parts has a largest size',
  },
  {
    file: 'src/platform/http/body.ts',
    find: 'this.#memory.free(this.size);',
    replace: '',
    breaks: 'the memory of a body is free again after its delivery',
  },
  {
    file: 'src/platform/http/health.ts',
    find: 'const ready = !stopping && Object.values(parts).every((part) => part.ready);',
    replace: 'const ready = !stopping && Object.values(parts).some((part) => part.ready);',
    breaks: 'a process is ready only when all of its parts are',
  },
  {
    file: 'src/platform/http/readiness.ts',
    find: 'return { ready: false, reason: messageOf(error) };',
    replace: 'return { ready: true, note: messageOf(error) };',
    breaks: 'a part that fails makes the process not ready',
  },
  {
    file: 'src/platform/http/server.ts',
    find: 'if (left === 0) counts.delete(client);\n      else counts.set(client, left);',
    replace: 'if (left === 0) counts.delete(client);',
    breaks: 'closed connections do not count towards the limit of an address',
  },
  {
    file: 'src/platform/http/server.ts',
    find: 'if (closing) response.shouldKeepAlive = false;',
    replace: '',
    breaks: 'a busy connection does not delay the stop',
  },
  {
    file: 'src/platform/tracing/traceparent.ts',
    find: 'traceFlags: Number.parseInt(flags, 16) & 1,',
    replace: 'traceFlags: Number.parseInt(flags, 16) & 2,',
    breaks: 'a trace that its sender samples is sampled here',
  },
  {
    file: 'src/platform/tracing/open-telemetry.ts',
    find: 'fail(span, typeOf(error));\n        throw error;',
    replace: 'throw error;',
    breaks: 'the span of a failed operation is marked as failed',
  },
];
