import type { Words } from './words.ts';

/** Members and their sessions, moderation, and limits of abuse. */
export const communityTables = ({ integer, strict }: Words) => [
  `create table members (user_id text primary key, username text not null, session_epoch text)${strict}`,
  `create table member_deletions (user_id text primary key, requested_at ${integer} not null)${strict}`,
  `create table sign_in_links (
    hash text primary key, user_id text not null, username text not null, expires_at ${integer} not null
  )${strict}`,
  `create table revoked_sessions (id text primary key, expires_at ${integer} not null)${strict}`,
  `create table proven_guilds (
    user_id text not null, guild_id text not null, name text not null, icon_url text, is_owner integer not null,
    members integer, online integer, expires_at ${integer} not null,
    constraint proven_guilds_pkey primary key (user_id, guild_id)
  )${strict}`,
  'create index proven_guilds_by_expiry on proven_guilds (expires_at)',
  `create table connect_requests (
    id text primary key, user_id text not null, request_json text not null, code_hash text, expires_at ${integer} not null
  )${strict}`,
  // A code is fetched once.
  'create unique index connect_requests_by_code on connect_requests (code_hash)',

  `create table reports (
    id text primary key, kind text not null, listing_id text not null, review_user_id text not null,
    reporter_id text not null, reason text not null, text text not null, reported_text text not null,
    state text not null, created_at ${integer} not null, closed_at ${integer}
  )${strict}`,
  // A member reports the same once at a time.
  `create unique index reports_open on reports (listing_id, kind, review_user_id, reporter_id) where state = 'open'`,
  'create index reports_by_reporter on reports (reporter_id, created_at)',
  `create table bans (user_id text primary key, reason text not null, banned_at ${integer} not null)${strict}`,
  `create table moderation_log (
    id text primary key, at ${integer} not null, operator_id text not null, action text not null, listing_id text,
    user_id text, reason text not null
  )${strict}`,
  'create index moderation_log_by_listing on moderation_log (listing_id, at)',
  'create index moderation_log_by_time on moderation_log (at, id)',
  `create table used_challenges (id text primary key, expires_at ${integer} not null)${strict}`,
  'create index used_challenges_by_expiry on used_challenges (expires_at)',

  `create table settings (name text primary key, value text not null)${strict}`,
];
