import type { Words } from '../words.ts';

/** What `/setup` stores, with its history, and the state of guilds. */
export const settings = ({ byKey }: Words) => [
  `create table if not exists setting_values (
    guild_id text not null,
    listing text not null,
    path text not null,
    value text not null,
    sealed text,
    constraint setting_values_key primary key (guild_id, listing, path)
  ) ${byKey}`,
  `create table if not exists setting_changes (
    id bigint not null primary key,
    guild_id text not null,
    at bigint not null,
    author_id text not null,
    interaction_id text not null,
    undoes bigint
  )`,
  'create index if not exists setting_changes_of_guild on setting_changes (guild_id, id)',
  // A change is made once. With the guild: a page of the console chooses the ids of its changes.
  `create unique index if not exists setting_changes_of_interaction on setting_changes (guild_id, interaction_id)`,
  // Whose name is removed when a member is forgotten.
  'create index if not exists setting_changes_author on setting_changes (author_id)',
  `create table if not exists changed_settings (
    guild_id text not null,
    change_id bigint not null,
    position integer not null,
    listing text not null,
    path text not null,
    before_value text,
    before_sealed text,
    after_value text,
    after_sealed text,
    constraint changed_settings_key primary key (guild_id, change_id, position)
  ) ${byKey}`,
  // The links that a guild had before are read with its settings.
  `create index if not exists changed_settings_links on changed_settings (guild_id) where path = 'link'`,

  `create table if not exists guilds (
    guild_id text not null primary key,
    version bigint not null,
    missing_since bigint,
    parked_at bigint,
    parked_by text,
    notices integer default 0 not null
  ) ${byKey}`,
  // What has changed since a version, which each process asks every few seconds.
  'create index if not exists guilds_by_version on guilds (version)',
  'create index if not exists guilds_parked on guilds (parked_at) where parked_at is not null',
  'create table if not exists settings_state (id integer not null primary key, version bigint not null, key_id text)',
];
