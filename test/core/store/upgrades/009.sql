-- What tallyhook wrote at migration 009: the rows of 006.sql, a planned effect and a report. The keys of deliveries, entries and effects number themselves.
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
  VALUES ('102', 'server', 10, 'vote', NULL, 1767225600000, 5, NULL, 1, 1);
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
