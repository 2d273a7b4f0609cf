import { createHash } from 'node:crypto';
import { isObject, type JsonObject, listOf, textOf, textsOf } from '@tallyhook/platform/json';
import { escapeName, joined, markup } from '@tallyhook/platform/texts/markup';
import { isVerifiable } from '@tallyhook/platform/webhooks/standard-webhooks';
import { RejectedTargetError, readTargetUrl, type TargetProblem } from '@tallyhook/platform/webhooks/target';
import { z } from 'zod';
import { hearingEndpoints } from '../../core/outbox/audience.ts';
import { type SecretParts, setting } from '../../core/settings/setting-spec.ts';
import { atMost, breaks, ifValid, noConflicts, type Rule, rule } from '../../core/settings/value-schemas.ts';
import { type WebhookEndpoint, webhookEndpoints } from './event.ts';
import { type EventType, eventTypes } from './event-types.ts';

/** Most endpoints of a community, and most secrets of each. */
export const maxEndpoints = 10;
const maxSecrets = 5;
/** Valid at once after `/setup` has added a secret: the new one, and the one before. */
const maxReplacedSecrets = 2;

/** Why an address is rejected, in the words of `/setup`. */
export function targetRule(problem: TargetProblem): Rule {
  switch (problem.name) {
    case 'notUrl':
    case 'scheme':
    case 'credentials':
    case 'onlyHere':
      return rule(problem.name);
    case 'port':
      return rule('port', { port: problem.port });
    case 'notPublic':
    case 'noAddress':
    case 'unresolved':
      return rule(problem.name, { host: problem.host.slice(0, 100) });
  }
}

/** The address of an endpoint. */
export const endpointUrl = z
  .string()
  .max(500, 'it must have at most 500 characters')
  .superRefine((text, context) => {
    try {
      // Which addresses are let in is decided when an event is sent.
      readTargetUrl(text, { allowLoopback: true });
    } catch (error) {
      if (!(error instanceof RejectedTargetError)) throw error;
      const params = { rule: targetRule(error.problem) };
      context.addIssue({ code: 'custom', message: error.message.replace(/\.$/, ''), params });
    }
  });

/** A secret of an endpoint. */
export const endpointSecret = z
  .string()
  .regex(/^[\x21-\x7e]{16,200}$/, 'it must have 16 to 200 characters without spaces')
  .refine(isVerifiable, 'it must have a key in base64 behind whsec_: copy all of it');

const fields = z.strictObject({
  url: endpointUrl.describe('An https address on the public internet.'),
  secrets: z
    .array(endpointSecret)
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
const storedFields = fields.omit({ secrets: true }).extend({
  secretCount: z
    .int()
    .min(1, breaks(rule('endpointSecret'), 'it must have a secret'))
    .max(maxSecrets),
});

function listOfEndpoints<Endpoint extends z.ZodType<{ readonly url: string }>>(endpoint: Endpoint) {
  return atMost(endpoint, maxEndpoints, 'endpoints').superRefine(noEqualUrls, ifValid);
}

const noEqualUrls = noConflicts<{ readonly url: string }>(
  (one, other) => one.url === other.url,
  () => ({ path: ['url'], message: 'an earlier endpoint has the same URL', rule: rule('sameAddress') }),
);

const secretsOfEndpoints: SecretParts = {
  schema: z.array(endpointSecret).min(1).max(maxSecrets),
  isAt: (path) => path.startsWith('webhooks.') && path.endsWith('.secrets'),
  /*
   * An endpoint without `secrets` keeps those that it has: `newSecret` adds one, and `dropOldSecrets` leaves the newest.
   * Those of a removed one are not kept for a later one with its address.
   */
  separate(endpoints, current) {
    const inUse = current === undefined ? [] : webhookEndpoints.in(current);
    const listed = listOf(endpoints);
    const removed = inUse.filter(({ url: own }) => listed.every((each) => each['url'] !== own));
    const secrets: (readonly [path: string, secrets: unknown])[] = removed.map(({ url: own }) => {
      return [pathOf({ url: own }), undefined];
    });
    if (!Array.isArray(endpoints)) return [['webhooks', endpoints], ...secrets];
    const stored = endpoints.map((endpoint: unknown) => {
      if (!isObject(endpoint)) return endpoint;
      const { secrets: stated, newSecret, dropOldSecrets, ...others } = endpoint;
      const before = inUse.find(({ url: own }) => own === endpoint['url'])?.secrets ?? [];
      const own = Array.isArray(stated) ? stated : changedSecrets(before, newSecret, dropOldSecrets === true);
      if (own !== before) secrets.push([pathOf(endpoint), own]);
      return { ...others, secretCount: own.length };
    });
    return [['webhooks', stored], ...secrets];
  },
  join(endpoints, secretAt, configured) {
    return listOf(endpoints).map((endpoint) => {
      const { secretCount: _count, ...others } = endpoint;
      const ofOperator = listOf(configured).find((each) => each['url'] === endpoint['url'])?.['secrets'];
      const secrets = secretAt(pathOf(endpoint)) ?? ofOperator;
      return secrets === undefined ? endpoint : { ...others, secrets };
    });
  },
};

/** Newest first. The same list if nothing changes. */
function changedSecrets(before: readonly string[], added: unknown, isOldDropped: boolean): readonly unknown[] {
  if (added !== undefined) return [added, ...before.filter((each) => each !== added)].slice(0, maxReplacedSecrets);
  return isOldDropped && before.length > 1 ? before.slice(0, 1) : before;
}

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
  showEntry({ url: address, events }, { list }) {
    const host = escapeName(hostOf(textOf(address)), 60);
    const types = textsOf(events).map((type) => escapeName(type));
    const shown = types.length > maxShownTypes ? [...types.slice(0, maxShownTypes), markup`…`] : types;
    return types.length === 0 ? host : joined([host, markup`(${list(shown)})`], ' ');
  },
});

/** Types of events that a line shows of an endpoint. */
const maxShownTypes = 3;

/** An endpoint of the settings. Without secrets that can be read, its requests are not accepted. */
function toEndpoint({
  url: address,
  secrets = [],
  events,
}: {
  readonly url: string;
  readonly secrets?: readonly string[];
  readonly events?: readonly EventType[] | undefined;
}): WebhookEndpoint {
  return { id: endpointId(address), url: address, secrets, events: events ?? null };
}

/** The shown part of an address, whose path may be secret. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
