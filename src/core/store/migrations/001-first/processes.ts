import type { Words } from '../words.ts';

/** What processes share, and what they know of each other. */
export const processes = ({ byKey }: Words) => [
  `create table if not exists installation (key text not null primary key, value text not null) ${byKey}`,
  'create table if not exists locks (name text not null primary key)',
  'create table if not exists probes (id integer not null primary key, at bigint not null)',
  'create table if not exists heartbeats (id integer not null primary key, at bigint not null)',
  'create table if not exists outages (from_at bigint not null primary key, until_at bigint not null)',

  `create table if not exists lease_groups (name text not null primary key, size bigint not null) ${byKey}`,
  `create table if not exists lease_holders (
    id text not null primary key,
    group_name text not null,
    beat bigint not null
  ) ${byKey}`,
  `create table if not exists leases (
    group_name text not null,
    size bigint not null,
    slot bigint not null,
    holder text not null,
    constraint leases_key primary key (group_name, size, slot)
  ) ${byKey}`,

  'create table if not exists lookup_requests (key_id text not null, at bigint not null)',
  'create index if not exists lookup_requests_of_key on lookup_requests (key_id, at)',
  `create table if not exists registered_commands (
    id text not null primary key,
    application_id text not null,
    guild_id text,
    name text not null,
    definition text
  )`,
  `create table if not exists revoked_sessions (id text not null primary key, expires_at bigint not null) ${byKey}`,
];
