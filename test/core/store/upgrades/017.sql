-- What tallyhook wrote at migration 017: the rows of 009.sql, and a member with rewards, a reminder, a purchase and a language. One vote was claimed.
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'recorded', NULL, '101', 10, '{"event":"server_vote","userId":"101","timestamp":"2025-12-31T10:00:00.000Z"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'duplicate', NULL, '101', 0, '{"event":"server_vote","userId":"101","timestamp":"2025-12-31T10:00:00.000Z"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'recorded', 'within_cooldown', '101', 0, '{"event":"server_vote","userId":"101","timestamp":"2025-12-31T11:00:00.000Z"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'vote', 'bot', 'bot_vote', 'recorded', NULL, '101', 25, '{"event":"bot_vote","userId":"101","timestamp":"2025-12-31T10:00:00.000Z","creditsAwarded":25}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'recorded', NULL, '102', 10, '{"event":"server_vote","userId":"102"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'recorded', 'Ad blocker detected', '103', 0, '{"event":"server_vote","userId":"103","timestamp":"2025-12-31T12:00:00.000Z","creditsAwarded":false,"creditDenialReason":"Ad blocker detected"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'test', NULL, '104', 0, '{"event":"server_vote","userId":"104","test":true}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'vote', NULL, 'surprise', 'quarantined', 'unknown kind of event', NULL, 0, '{"event":"surprise","userId":"105","note":"it''s new"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'premium', 'server', 'premium_purchase', 'recorded', NULL, '106', 100, '{"event":"premium_purchase","buyer":{"userId":"106"},"orderId":"order-1","purchaseId":"purchase-1","tier":{"name":"Gold"}}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, body)
  VALUES (1767225600000, 'premium', 'server', 'subscription.revoked', 'recorded', NULL, '106', 0, '{"event":"subscription.revoked","orderId":"order-1","timestamp":"2025-12-31T13:00:00.000Z"}');

INSERT INTO event_keys (key, delivery_id)
  VALUES (X'019b73d99d006a4593664fa154211fd5', 1);
INSERT INTO event_keys (key, delivery_id)
  VALUES (X'019b74108b806a4593664fa154211fd5', 3);
INSERT INTO event_keys (key, delivery_id)
  VALUES (X'019b73d99d004bdbcbbe07c3fe4d4300', 4);
INSERT INTO event_keys (key, delivery_id)
  VALUES (X'019b76daa800bcda742a1d9467ff62f7', 5);
INSERT INTO event_keys (key, delivery_id)
  VALUES (X'019b74477a00438968731edea48bd9c4', 6);
INSERT INTO event_keys (key, delivery_id)
  VALUES (X'a338542d0b8a08f0023d94a736fab46b', 9);
INSERT INTO event_keys (key, delivery_id)
  VALUES (X'0a0af6c05ba4ca376f169c4c6034be09', 10);

INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed)
  VALUES ('101', 'server', 10, 'vote', NULL, 1767175200000, 1, NULL, 1, 0);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed)
  VALUES ('101', 'server', 0, 'within_cooldown', 'within_cooldown', 1767178800000, 3, 1, 2, 0);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed)
  VALUES ('101', 'bot', 25, 'vote', NULL, 1767175200000, 4, 2, 3, 0);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed)
  VALUES ('102', 'server', 10, 'claim', NULL, 1767225600000, 5, NULL, 1, 1);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed)
  VALUES ('103', 'server', 0, 'denied', 'Ad blocker detected', 1767182400000, 6, NULL, 1, 0);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed)
  VALUES ('106', 'server', 100, 'purchase', NULL, 1767225600000, 9, NULL, 1, 0);

INSERT INTO balances (user_id, credits, votes, last_entry, last_votes, entries)
  VALUES ('101', 35, 2, 3, '{"server":1767175200000,"bot":1767175200000}', 3);
INSERT INTO balances (user_id, credits, votes, last_entry, last_votes, entries)
  VALUES ('102', 10, 1, 4, '{"server":1767225600000}', 1);
INSERT INTO balances (user_id, credits, votes, last_entry, last_votes, entries)
  VALUES ('103', 0, 1, 5, '{"server":1767182400000}', 1);
INSERT INTO balances (user_id, credits, votes, last_entry, last_votes, entries)
  VALUES ('106', 100, 0, 6, '{}', 1);

INSERT INTO orders (id, listing, user_id, tier, state, period_end, updated_at)
  VALUES ('order-1', 'server', '106', 'Gold', 'revoked', NULL, 1767225600000);

INSERT INTO order_names (name, order_id)
  VALUES ('order-1', 'order-1');
INSERT INTO order_names (name, order_id)
  VALUES ('purchase-1', 'order-1');

INSERT INTO effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (1, 'announcement', '500000000000000001', '["server_vote",false,"server","101",10,10,null,1767175200000,1767218400000,null,null]', 'done', 1, 1767225620000, 1767225600000, 1767225600100, '1-mjuohs00', NULL, NULL);
INSERT INTO effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (3, 'announcement', '500000000000000001', '["server_vote",false,"server","101",0,10,"within_cooldown",1767178800000,1767222000000,null,null]', 'done', 1, 1767225620000, 1767225600000, 1767225600100, '1-mjuohs00', NULL, NULL);
INSERT INTO effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (4, 'announcement', '500000000000000001', '["bot_vote",false,"bot","101",25,35,null,1767175200000,1767218400000,null,null]', 'buried', 1, 1767225620000, 1767225600000, 1767225600200, '3-mjuohs00', 'Discord knows no such channel', NULL);
INSERT INTO effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (5, 'announcement', '500000000000000001', '["server_vote",false,"server","102",10,10,null,1767225600000,1767268800000,null,null]', 'waiting', 1, 1767229200000, 1767225600000, NULL, '4-mjuohs00', 'Discord answered 500', 1767225600000);
INSERT INTO effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (6, 'announcement', '500000000000000001', '["server_vote",false,"server","103",0,0,"Ad blocker detected",1767182400000,1767225600000,null,null]', 'waiting', 1, 1767225620000, 1767225600000, NULL, '5-mjuohs00', NULL, 1767225600000);
INSERT INTO effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (7, 'announcement', '500000000000000001', '["server_vote",true,"server","104",0,null,null,1767225600000,null,null,null]', 'waiting', 0, 1767225600000, 1767225600000, NULL, NULL, NULL, NULL);
INSERT INTO effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (9, 'announcement', '500000000000000002', '["premium_purchase",false,"server","106",100,100,null,1767225600000,null,"Gold",null]', 'waiting', 0, 1767225600000, 1767225600000, NULL, NULL, NULL, NULL);
INSERT INTO effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (10, 'announcement', '500000000000000002', '["subscription.revoked",false,"server","106",0,null,null,1767186000000,null,null,null]', 'waiting', 0, 1767225600000, 1767225600000, NULL, NULL, NULL, NULL);

INSERT INTO lookup_requests (key_id, at)
  VALUES ('abcdef', 1767225600000);

INSERT INTO probes (id, at)
  VALUES (1, 1767225600000);

INSERT INTO registered_commands (id, application_id, guild_id, name)
  VALUES ('700000000000000001', '600000000000000001', NULL, 'votes');

INSERT INTO revoked_sessions (id, expires_at)
  VALUES ('session-1', 1767312000000);

INSERT INTO planned_effects (delivery_id, kind, queue, content, due_at)
  VALUES (NULL, 'role', 'role 300000000000000001', '{"guildId":"300000000000000001","userId":"101","role":"400000000000000001"}', 1767268800000);

INSERT INTO reports (key, at)
  VALUES ('400000000000000001 role_too_high', 1767225600000);

-- A member with every kind of row that came with the rewards.
UPDATE balances SET roles = '["400000000000000002"]', week_start = 20450, week_votes = 2, week_credits = 35, month_start = 20423, month_votes = 2, month_credits = 35, streak_days = 1, streak_last_day = 20455, reminder = 1 WHERE user_id = '101';

INSERT INTO grants (user_id, role, source, guild_id, until, state)
  VALUES ('101', '400000000000000001', 'vote', '300000000000000001', 1767268800000, 'applied');
INSERT INTO grants (user_id, role, source, guild_id, until, state)
  VALUES ('101', '400000000000000003', 'milestone 10', '300000000000000001', NULL, 'parked');

INSERT INTO reminders (user_id, listing, due_at, leased_until)
  VALUES ('101', 'server', 1767268800000, NULL);
INSERT INTO reminder_stops (user_id, reason, at, told)
  VALUES ('102', 'direct_messages_closed', 1767225600000, 0);

INSERT INTO purchases (confirmation_id, user_id, guild_id, owner_channel_id, item, name, price, state, balance, role, until, code, at, settled_at)
  VALUES ('500000000000000001', '101', '300000000000000001', NULL, 'key', 'Game key', 5, 'fulfilled', 35, NULL, NULL, 'CODE-1', 1767225600000, 1767225600000);

INSERT INTO parties (period, votes, reached_at, panel_channel, panel_goal, panel_credits, panel_ends_at, panel_due_at, panel_updated_at, panel_message, panel_message_channel)
  VALUES ('week 2026-W01', 3, NULL, '200000000000000001', 5, 25, 1767571200000, NULL, 1767225600000, '600000000000000001', '200000000000000001');
INSERT INTO party_voters (period, user_id, state)
  VALUES ('week 2026-W01', '101', 'eligible');

INSERT INTO outages (from_at, until_at)
  VALUES (1767100000000, 1767130000000);
INSERT INTO heartbeats (id, at)
  VALUES (1, 1767225600000);

INSERT INTO forgotten_votes (key, at, expires_at)
  VALUES (X'000102030405060708090a0b0c0d0e0f', 1767225600000, 1767830400000);

INSERT INTO member_languages (user_id, locale)
  VALUES ('101', 'de');
INSERT INTO announcement_progress (key, until_at)
  VALUES ('digest server', 1767225600000);
INSERT INTO announced_reviews (listing, review, at)
  VALUES ('server', '0123456789abcdef', 1767225600000);
