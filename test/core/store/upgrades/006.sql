-- What tallyhook wrote at migration 006: a row of every kind in every table but that of corrections. The keys of deliveries, entries and effects number themselves.
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'recorded', NULL, '101', 10, '2025-12-31T10:00:00.000Z 101 server', '{"event":"server_vote","userId":"101","timestamp":"2025-12-31T10:00:00.000Z"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'duplicate', NULL, '101', 0, NULL, '{"event":"server_vote","userId":"101","timestamp":"2025-12-31T10:00:00.000Z"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'recorded', 'within_cooldown', '101', 0, '2025-12-31T11:00:00.000Z 101 server', '{"event":"server_vote","userId":"101","timestamp":"2025-12-31T11:00:00.000Z"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'vote', 'bot', 'bot_vote', 'recorded', NULL, '101', 25, '2025-12-31T10:00:00.000Z 101 bot', '{"event":"bot_vote","userId":"101","timestamp":"2025-12-31T10:00:00.000Z","creditsAwarded":25}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'recorded', NULL, '102', 10, '2026-01-01T00:00:00.000Z 102 server untimed', '{"event":"server_vote","userId":"102"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'recorded', 'Ad blocker detected', '103', 0, '2025-12-31T12:00:00.000Z 103 server', '{"event":"server_vote","userId":"103","timestamp":"2025-12-31T12:00:00.000Z","creditsAwarded":false,"creditDenialReason":"Ad blocker detected"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'vote', 'server', 'server_vote', 'test', NULL, '104', 0, NULL, '{"event":"server_vote","userId":"104","test":true}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'vote', NULL, 'surprise', 'quarantined', 'unknown kind of event', NULL, 0, NULL, '{"event":"surprise","userId":"105","note":"it''s new"}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'premium', 'server', 'premium_purchase', 'recorded', NULL, '106', 100, 'premium_purchase order-1', '{"event":"premium_purchase","buyer":{"userId":"106"},"orderId":"order-1","purchaseId":"purchase-1","tier":{"name":"Gold"}}');
INSERT INTO deliveries (received_at, family, listing, kind, outcome, reason, user_id, credits, event_key, body)
  VALUES (1767225600000, 'premium', 'server', 'subscription.revoked', 'recorded', NULL, '106', 0, 'subscription.revoked order-1', '{"event":"subscription.revoked","orderId":"order-1","timestamp":"2025-12-31T13:00:00.000Z"}');

INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous)
  VALUES ('101', 'server', 10, 'vote', NULL, 1767175200000, 1, NULL);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous)
  VALUES ('101', 'server', 0, 'within_cooldown', 'within_cooldown', 1767178800000, 3, 1);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous)
  VALUES ('101', 'bot', 25, 'vote', NULL, 1767175200000, 4, 2);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous)
  VALUES ('102', 'server', 10, 'vote', NULL, 1767225600000, 5, NULL);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous)
  VALUES ('103', 'server', 0, 'denied', 'Ad blocker detected', 1767182400000, 6, NULL);
INSERT INTO entries (user_id, listing, credits, cause, reason, at, delivery_id, previous)
  VALUES ('106', 'server', 100, 'purchase', NULL, 1767225600000, 9, NULL);

INSERT INTO balances (user_id, credits, votes, last_entry, last_votes)
  VALUES ('101', 35, 2, 3, '{"server":1767175200000,"bot":1767175200000}');
INSERT INTO balances (user_id, credits, votes, last_entry, last_votes)
  VALUES ('102', 10, 1, 4, '{"server":1767225600000}');
INSERT INTO balances (user_id, credits, votes, last_entry, last_votes)
  VALUES ('103', 0, 1, 5, '{"server":1767182400000}');
INSERT INTO balances (user_id, credits, votes, last_entry, last_votes)
  VALUES ('106', 100, 0, 6, '{}');

INSERT INTO orders (id, listing, user_id, tier, state, period_end, updated_at)
  VALUES ('order-1', 'server', '106', 'Gold', 'revoked', NULL, 1767225600000);

INSERT INTO order_names (name, order_id)
  VALUES ('order-1', 'order-1');
INSERT INTO order_names (name, order_id)
  VALUES ('purchase-1', 'order-1');

INSERT INTO effects (delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (1, 'announcement', '500000000000000001', '{"event":"server_vote","test":false,"listing":"server","userId":"101","credits":10,"balance":10,"reason":null,"at":1767175200000,"nextVoteAt":1767218400000,"tier":null,"giftedBy":null}', 'done', 1, 1767225620000, 1767225600000, 1767225600100, '1-mjuohs00', NULL, NULL);
INSERT INTO effects (delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (3, 'announcement', '500000000000000001', '{"event":"server_vote","test":false,"listing":"server","userId":"101","credits":0,"balance":10,"reason":"within_cooldown","at":1767178800000,"nextVoteAt":1767222000000,"tier":null,"giftedBy":null}', 'done', 1, 1767225620000, 1767225600000, 1767225600100, '1-mjuohs00', NULL, NULL);
INSERT INTO effects (delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (4, 'announcement', '500000000000000001', '{"event":"bot_vote","test":false,"listing":"bot","userId":"101","credits":25,"balance":35,"reason":null,"at":1767175200000,"nextVoteAt":1767218400000,"tier":null,"giftedBy":null}', 'buried', 1, 1767225620000, 1767225600000, 1767225600200, '3-mjuohs00', 'Discord knows no such channel', NULL);
INSERT INTO effects (delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (5, 'announcement', '500000000000000001', '{"event":"server_vote","test":false,"listing":"server","userId":"102","credits":10,"balance":10,"reason":null,"at":1767225600000,"nextVoteAt":1767268800000,"tier":null,"giftedBy":null}', 'waiting', 1, 1767229200000, 1767225600000, NULL, '4-mjuohs00', 'Discord answered 500', 1767225600000);
INSERT INTO effects (delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (6, 'announcement', '500000000000000001', '{"event":"server_vote","test":false,"listing":"server","userId":"103","credits":0,"balance":0,"reason":"Ad blocker detected","at":1767182400000,"nextVoteAt":1767225600000,"tier":null,"giftedBy":null}', 'waiting', 1, 1767225620000, 1767225600000, NULL, '5-mjuohs00', NULL, 1767225600000);
INSERT INTO effects (delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (7, 'announcement', '500000000000000001', '{"event":"server_vote","test":true,"listing":"server","userId":"104","credits":0,"balance":null,"reason":null,"at":1767225600000,"nextVoteAt":null,"tier":null,"giftedBy":null}', 'waiting', 0, 1767225600000, 1767225600000, NULL, NULL, NULL, NULL);
INSERT INTO effects (delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (9, 'announcement', '500000000000000002', '{"event":"premium_purchase","test":false,"listing":"server","userId":"106","credits":100,"balance":100,"reason":null,"at":1767225600000,"nextVoteAt":null,"tier":"Gold","giftedBy":null}', 'waiting', 0, 1767225600000, 1767225600000, NULL, NULL, NULL, NULL);
INSERT INTO effects (delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce, reason, unsure_since)
  VALUES (10, 'announcement', '500000000000000002', '{"event":"subscription.revoked","test":false,"listing":"server","userId":"106","credits":0,"balance":null,"reason":null,"at":1767186000000,"nextVoteAt":null,"tier":null,"giftedBy":null}', 'waiting', 0, 1767225600000, 1767225600000, NULL, NULL, NULL, NULL);

INSERT INTO lookup_requests (key_id, at)
  VALUES ('abcdef', 1767225600000);

INSERT INTO probes (id, at)
  VALUES (1, 1767225600000);

INSERT INTO registered_commands (id, application_id, guild_id, name)
  VALUES ('700000000000000001', '600000000000000001', NULL, 'votes');

INSERT INTO revoked_sessions (id, expires_at)
  VALUES ('session-1', 1767312000000);
