import { createHash } from 'node:crypto';
import { isObject, type JsonObject, listOf, textOf } from '@tallyhook/platform/json';
import { escapeName } from '@tallyhook/platform/texts/markup';
import { RejectedTargetError, readTargetUrl } from '@tallyhook/platform/webhooks/target';
import { z } from 'zod';
import { type SecretParts, setting } from '../../core/settings/setting-spec.ts';
import { breaks, hasNoIssues, rule, wholeNumber } from '../../core/settings/value-schemas.ts';
import { hearingEndpoints, type WebhookEndpoint, webhookEndpoints } from './event.ts';
import { type EventType, eventTypes } from './event-types.ts';

/** Most endpoints of a community, and most secrets of each. */
const maxEndpoints = 10;
const maxSecrets = 5;

const url = z
  .string()
  .max(500, 'it must have at most 500 characters')
  .superRefine((text, context) => {
    try {
      // Which addresses are let in is decided when an event is sent.
      readTargetUrl(text, { allowLoopback: true });
    } catch (error) {
      if (!(error instanceof RejectedTargetError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  });

const secret = z.string().regex(/^[\x21-\x7e]{16,200}$/, 'it must have 16 to 200 characters without spaces');

const fields = z.strictObject({
  url: url.describe('An https address on the public internet.'),
  secrets: z
    .array(secret)
    .min(1)
    .max(maxSecrets)
    .describe('They sign the requests; several are valid at once, so that one can be changed. `whsec_…` or any text.'),
  events: z
    .array(z.enum(eventTypes))
    .min(1)
    .optional()
    .describe(
      `The types of events that it receives; all by default: ${eventTypes.map((type) => `\`${type}\``).join(', ')}.`,
    ),
});

/** An endpoint as `/setup` stores it: its secrets are apart, so that they can be encrypted. */
const storedFields = fields.omit({ secrets: true }).extend({ secretCount: wholeNumber(1, maxSecrets) });

function listOfEndpoints<Endpoint extends z.ZodType<{ readonly url: string }>>(endpoint: Endpoint) {
  return z
    .array(endpoint)
    .max(maxEndpoints, breaks(rule('atMost', { max: maxEndpoints }), `it must have at most ${maxEndpoints} endpoints`))
    .superRefine(rejectEqualUrls, { when: hasNoIssues });
}

function rejectEqualUrls(endpoints: readonly { readonly url: string }[], context: z.RefinementCtx): void {
  for (const [index, { url: own }] of endpoints.entries()) {
    if (endpoints.findIndex((each) => each.url === own) !== index)
      context.addIssue({ code: 'custom', path: [index, 'url'], message: 'an earlier endpoint has the same URL' });
  }
}

const secretsOfEndpoints: SecretParts = {
  schema: z.array(secret).min(1).max(maxSecrets),
  isAt: (path) => path.startsWith('webhooks.') && path.endsWith('.secrets'),
  separate(endpoints) {
    if (!Array.isArray(endpoints)) return [['webhooks', endpoints]];
    const secrets: (readonly [path: string, secrets: unknown])[] = [];
    const stored = endpoints.map((endpoint: unknown) => {
      if (!isObject(endpoint) || !Array.isArray(endpoint['secrets'])) return endpoint;
      const { secrets: own, ...others } = endpoint;
      secrets.push([pathOf(endpoint), own]);
      return { ...others, secretCount: own.length };
    });
    return [['webhooks', stored], ...secrets];
  },
  join(endpoints, secretAt, configured) {
    return listOf(endpoints).map(({ secretCount: _count, ...endpoint }) => {
      const ofOperator = listOf(configured).find((each) => each['url'] === endpoint['url'])?.['secrets'];
      return { ...endpoint, secrets: secretAt(pathOf(endpoint)) ?? ofOperator ?? [] };
    });
  },
};

function pathOf(endpoint: JsonObject): string {
  return `webhooks.${endpointId(textOf(endpoint['url']))}.secrets`;
}

/** Short, so that the name of its queue is, and without the address, which may be secret. */
export function endpointId(address: string): string {
  return createHash('sha256').update(address).digest('hex').slice(0, 12);
}

export const webhooks = setting({
  path: 'webhooks',
  description:
    'Up to 10 addresses that receive [signed events](webhooks-out.md), in any language. Listings of one guild share it.',
  schema: listOfEndpoints(fields),
  storedSchema: listOfEndpoints(storedFields),
  isShared: true,
  secretParts: secretsOfEndpoints,
  variable: 'WEBHOOK_URL',
  fromVariable: (address, { WEBHOOK_SECRET: secrets = [], WEBHOOK_EVENTS: events }) => [
    { url: address, secrets, ...(events !== undefined && { events }) },
  ],
  inEffect: (endpoints) => webhookEndpoints.as((endpoints ?? []).map(toEndpoint)),
  rules: (endpoints) =>
    hearingEndpoints.as((endpoints ?? []).map(toEndpoint).map(({ id, events }) => ({ id, events }))),
  inFile: (settings) =>
    webhookEndpoints.in(settings).map(({ url: address, secrets, events }) => ({
      url: address,
      ...(events !== null && { events }),
      secretCount: secrets.length,
    })),
  showEntry: (endpoint) => escapeName(hostOf(textOf(endpoint['url'])), 60),
});

function toEndpoint({
  url: address,
  secrets,
  events,
}: {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly events?: readonly EventType[] | undefined;
}): WebhookEndpoint {
  return { id: endpointId(address), url: address, secrets, events: events ?? null };
}

/** What is shown of an address, whose path may be secret. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
