import type { DiscordState } from '../discord-state.ts';
import { errorResponse } from '../errors.ts';
import type { OAuth } from '../oauth.ts';
import type { RoleConnections } from '../role-connections.ts';
import { noContent, ok, type Route, route, routeWith } from '../route.ts';

/** OAuth2 and linked roles. Discord: "OAuth2", "Application Role Connection Metadata", "User". */
export function roleConnectionRoutes(state: DiscordState, oauth: OAuth, connections: RoleConnections): Route[] {
  const memberRoute = routeWith({ needsBot: false });
  const metadataPath = '/applications/:applicationId/role-connections/metadata';
  const connectionPath = '/users/@me/applications/:applicationId/role-connection';
  const checkApplication = (id: string) => {
    if (id !== state.applicationId) throw errorResponse.unknownApplication();
  };
  return [
    route('GET', metadataPath, ({ ids }) => {
      checkApplication(ids.applicationId);
      return ok(connections.records);
    }),
    route('PUT', metadataPath, ({ ids, body }) => {
      checkApplication(ids.applicationId);
      return ok(connections.saveRecords(body));
    }),
    memberRoute('POST', '/oauth2/token', ({ body }) => ok(oauth.issueTokens(body))),
    memberRoute('POST', '/oauth2/token/revoke', ({ body }) => {
      oauth.revokeToken(body);
      return ok({});
    }),
    memberRoute('GET', connectionPath, ({ ids, authorization }) => {
      checkApplication(ids.applicationId);
      return ok(connections.connectionOf(oauth.memberOfBot(authorization, 'role_connections.write')));
    }),
    memberRoute('PUT', connectionPath, ({ ids, body, authorization }) => {
      checkApplication(ids.applicationId);
      return ok(connections.saveConnection(oauth.memberOfBot(authorization, 'role_connections.write'), body));
    }),
    memberRoute('DELETE', connectionPath, ({ ids, authorization }) => {
      checkApplication(ids.applicationId);
      connections.deleteConnection(oauth.memberOfBot(authorization, 'role_connections.write'));
      return noContent;
    }),
  ];
}
