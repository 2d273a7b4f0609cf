import { type Finding, pass, warn } from '@tallyhook/platform/doctor/check';
import { defaultLocale, type Locale, locales } from '@tallyhook/platform/texts/locale';
import type { Config } from '../../../config/schema.ts';
import { handle } from '../../core/outbox/perform.ts';
import { type ApplicationSettings, inspectLinkedRoles } from '../../discord/registration/application-settings.ts';
import { type DiscordRest } from '../../discord/rest.ts';
import { textsIn } from '../../texts/texts.ts';
import type { FeatureParts, FeatureServices, PartsContext, Publication, ServicesContext } from '../parts.ts';
import { createLinkedRoles, linkPath } from './linked-roles.ts';
import { roleConnectionKind } from './role-connection.ts';

/** Linked roles with their pages; null if they are off: without `DISCORD_CLIENT_SECRET`, `PUBLIC_URL` or `DISCORD_TOKEN`. */
function createService(context: LinkedRolesContext) {
  const { discord, publicUrl, clientSecret } = context.config;
  if (clientSecret === null || publicUrl === null || discord.token === '') return null;
  return createLinkedRoles(context, { clientSecret, publicUrl });
}

type LinkedRolesContext = ServicesContext & Parameters<typeof createLinkedRoles>[0];

export function createServices(context: LinkedRolesContext) {
  const linkedRoles = createService(context);
  const unlink = linkedRoles?.unlink ?? (async () => false);
  return {
    shared: { linkedRoles, unlink },
    ...(linkedRoles && { routes: linkedRoles.routes }),
  } satisfies FeatureServices;
}

export function create({
  linkedRoles,
}: PartsContext & {
  /** Null if they are off. */
  readonly linkedRoles: ReturnType<typeof createService>;
}) {
  return {
    // After they were switched off, there is nothing to do.
    effects: [handle(roleConnectionKind, linkedRoles?.update ?? (async () => ({ outcome: 'done' })))],
    loops: linkedRoles === null ? [] : [linkedRoles],
  } satisfies FeatureParts;
}

/** The conditions and the page; null if linked roles are off. */
export function publish({ publicUrl, clientSecret }: Config): Publication | null {
  if (clientSecret === null || publicUrl === null) return null;
  const linkedRoles = { verificationUrl: `${publicUrl}${linkPath}`, records: roleConnectionRecords() };
  return {
    name: 'linked-roles',
    settings: { linkedRoles },
    check: (rest, applicationId) => checkPublication(rest, applicationId, linkedRoles),
  };
}

async function checkPublication(
  rest: DiscordRest,
  applicationId: string,
  expected: NonNullable<ApplicationSettings['linkedRoles']>,
): Promise<readonly Finding[]> {
  const hint = 'Run `tallyhook register`.';
  const { verificationUrl, isRegistered } = await inspectLinkedRoles(rest, applicationId, expected);
  const findings: Finding[] = [];
  if (verificationUrl === null) {
    findings.push(warn('Discord has no page on which members link their account, so it offers no linked roles.', hint));
  } else if (verificationUrl !== expected.verificationUrl) {
    const message = `Members link their account at ${verificationUrl}, not at ${expected.verificationUrl}.`;
    findings.push(warn(message, 'Run `tallyhook register`, or correct PUBLIC_URL.'));
  }
  if (!isRegistered) findings.push(warn('The conditions of linked roles are not those of this version.', hint));
  return findings.length > 0 ? findings : [pass(`Members link their account at ${expected.verificationUrl}.`)];
}

/** Discord: "Application Role Connection Metadata Type". */
const type = { atLeast: 2, datetimeAtLeast: 6, booleanEqual: 7 } as const;

/**
 * The conditions that Discord offers for a role. Discord allows five. Never change a key or a type: servers have
 * conditions with them. Credits are missing on purpose, because a purchase would take a role away.
 */
const kinds = {
  votes: type.atLeast,
  streak: type.atLeast,
  last_vote: type.datetimeAtLeast,
  premium: type.booleanEqual,
} as const;

type RecordKey = keyof typeof kinds;

/** All conditions with translations. Discord: "Application Role Connection Metadata Structure". */
export function roleConnectionRecords() {
  return (Object.keys(kinds) as RecordKey[]).map((key) => {
    const name = translationsOf(key, 'name');
    const description = translationsOf(key, 'description');
    return {
      key,
      type: kinds[key],
      name: name.english,
      description: description.english,
      name_localizations: name.others,
      description_localizations: description.others,
    };
  });
}

function translationsOf(key: RecordKey, field: 'name' | 'description') {
  const read = (locale: Locale) => textsIn(locale).text(`linkedRoles.records.${key}.${field}`);
  const english = read(defaultLocale);
  const others = locales.filter((locale) => read(locale) !== english).map((locale) => [locale, read(locale)] as const);
  return { english, others: Object.fromEntries(others) };
}
