import { isDeepStrictEqual } from 'node:util';
import { ApplicationIntegrationType, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { fetchApplication } from '../inspection.ts';
import { type DiscordRest, orElse } from '../rest.ts';

/** Settings of the application itself that are published besides its commands. Undefined leaves one as it is. */
export interface ApplicationSettings {
  /** Lets members add the application to their account. */
  readonly userInstall?: boolean | undefined;
  /** Linked roles: the page on which members link their account, and the conditions for roles. */
  readonly linkedRoles?:
    | {
        readonly verificationUrl: string;
        readonly records: readonly object[];
      }
    | undefined;
}

/**
 * Makes the application match, and returns what was changed: names of settings. Compares first, so that a repetition
 * changes nothing. Throws what {@link DiscordRest} throws, and ZodError for a response of another shape.
 */
export async function updateApplication(
  rest: DiscordRest,
  applicationId: string,
  { userInstall, linkedRoles }: ApplicationSettings,
): Promise<readonly string[]> {
  const current = await fetchApplication(rest);
  const changes: Record<string, unknown> = {};
  const { UserInstall } = ApplicationIntegrationType;
  if (userInstall && current.integration_types_config[UserInstall] === undefined) {
    const ofUser = { oauth2_install_params: { scopes: ['applications.commands'], permissions: '0' } };
    changes['integration_types_config'] = { ...current.integration_types_config, [UserInstall]: ofUser };
  }
  const verificationUrl = linkedRoles?.verificationUrl ?? current.role_connections_verification_url;
  if (verificationUrl !== current.role_connections_verification_url)
    changes['role_connections_verification_url'] = verificationUrl;
  const changed = Object.keys(changes);
  if (linkedRoles !== undefined && !(await isRegisteredAt(rest, applicationId, linkedRoles.records))) {
    await rest.put(Routes.applicationRoleConnectionMetadata(applicationId), undefined, linkedRoles.records);
    changed.push('role_connections_metadata');
  }
  if (Object.keys(changes).length > 0) await rest.patch(Routes.currentApplication(), changes);
  return changed;
}

/** Reads the settings of linked roles at Discord. Throws like {@link updateApplication}. */
export async function inspectLinkedRoles(
  rest: DiscordRest,
  applicationId: string,
  { records }: Pick<NonNullable<ApplicationSettings['linkedRoles']>, 'records'>,
): Promise<{ readonly verificationUrl: string | null; readonly isRegistered: boolean }> {
  const { role_connections_verification_url: verificationUrl } = await fetchApplication(rest);
  return { verificationUrl, isRegistered: await isRegisteredAt(rest, applicationId, records) };
}

async function isRegisteredAt(rest: DiscordRest, applicationId: string, records: readonly object[]): Promise<boolean> {
  const listed = await rest.get(Routes.applicationRoleConnectionMetadata(applicationId));
  return isDeepStrictEqual(z.array(record).parse(listed), z.array(record).parse(records));
}

const localizations = orElse(z.record(z.string(), z.string()), {});
const record = z.object({
  type: z.number(),
  key: z.string(),
  name: z.string(),
  name_localizations: localizations,
  description: z.string(),
  description_localizations: localizations,
});
