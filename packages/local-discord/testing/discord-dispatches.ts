import type { SentDispatch } from '../src/connection.ts';

/** A part of a dispatch whose type is in the REST document. */
export interface DocumentedPart {
  readonly field: string;
  readonly type: string;
  readonly value: unknown;
}

type Data = Readonly<Record<string, unknown>>;

/**
 * Returns the parts that have a schema. The document has no gateway events, but it has most of their objects. Discord:
 * "Gateway Events".
 */
export function documentedParts({ t, d }: SentDispatch): DocumentedPart[] {
  const data = (d ?? {}) as Data;
  switch (t) {
    case 'READY':
      return [{ field: 'user', type: 'UserPIIResponse', value: { locale: 'en-US', ...(data['user'] as Data) } }];
    case 'GUILD_CREATE':
      return [
        ...arrayParts(data, 'channels', 'GuildChannelResponse'),
        ...arrayParts(data, 'threads', 'ThreadResponse'),
        ...arrayParts(data, 'roles', 'GuildRoleResponse'),
        ...arrayParts(data, 'members', 'GuildMemberResponse'),
      ];
    case 'CHANNEL_UPDATE':
    case 'CHANNEL_DELETE':
      return [{ field: '', type: 'GuildChannelResponse', value: data }];
    case 'THREAD_CREATE':
    case 'THREAD_UPDATE':
      return [{ field: '', type: 'ThreadResponse', value: omit(data, 'newly_created') }];
    case 'THREAD_MEMBERS_UPDATE':
      return threadMembers(data).map((value) => ({ field: 'added_members', type: 'ThreadMemberResponse', value }));
    case 'GUILD_ROLE_UPDATE':
      return [{ field: 'role', type: 'GuildRoleResponse', value: data['role'] }];
    case 'GUILD_MEMBER_REMOVE':
      return [{ field: 'user', type: 'UserResponse', value: data['user'] }];
    case 'GUILD_MEMBER_ADD':
    case 'GUILD_MEMBER_UPDATE':
      return [{ field: '', type: 'GuildMemberResponse', value: omit(data, 'guild_id') }];
    case 'MESSAGE_CREATE':
    case 'MESSAGE_UPDATE':
      return [{ field: '', type: 'MessageResponse', value: omit(data, 'guild_id', 'member') }];
    case 'GUILD_MEMBERS_CHUNK':
      return arrayParts(data, 'members', 'GuildMemberResponse');
    case 'INTERACTION_CREATE':
      return interactionParts(data);
    default:
      return [];
  }
}

function interactionParts(data: Data): DocumentedPart[] {
  const { resolved } = (data['data'] ?? {}) as Data;
  const member = data['member'] as Data | undefined;
  const parts = [
    { field: 'message', type: 'MessageResponse', value: data['message'] },
    { field: 'user', type: 'UserResponse', value: data['user'] },
    { field: 'member', type: 'GuildMemberResponse', value: member && omit(member, 'permissions') },
    {
      field: 'channel',
      type: 'GuildChannelResponse | PrivateChannelResponse | PrivateGroupChannelResponse | ThreadResponse',
      value: data['channel'],
    },
  ];
  const { users, roles, attachments } = (resolved ?? {}) as Data;
  return [
    ...parts.filter(({ value }) => value !== undefined),
    ...arrayParts({ users: Object.values(users ?? {}) }, 'users', 'UserResponse'),
    ...arrayParts({ roles: Object.values(roles ?? {}) }, 'roles', 'GuildRoleResponse'),
    ...arrayParts({ attachments: Object.values(attachments ?? {}) }, 'attachments', 'MessageAttachmentResponse'),
  ];
}

function threadMembers(data: Data): Data[] {
  return ((data['added_members'] ?? []) as Data[]).map((member) => omit(member, 'presence'));
}

function arrayParts(data: Data, field: string, type: string): DocumentedPart[] {
  return ((data[field] ?? []) as unknown[]).map((value, index) => ({ field: `${field}.${index}`, type, value }));
}

/** Removes fields that only the gateway adds. */
function omit(data: Data, ...fields: string[]): Data {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !fields.includes(name)));
}
