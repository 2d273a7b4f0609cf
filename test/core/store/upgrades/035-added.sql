-- What tallyhook wrote at migration 035 beside the rows of 017.sql: corrections of a program, of a manager and of the operator.
INSERT INTO corrections (idempotency_key, user_id, credits, reason, balance, at, author)
  VALUES ('of-a-program', '103', 1, 'A quiz', 1, 1767225600000, NULL);
INSERT INTO corrections (idempotency_key, user_id, credits, reason, balance, at, author)
  VALUES ('of-a-manager', '102', 5, 'Helped', 15, 1767225600000, '101');
INSERT INTO corrections (idempotency_key, user_id, credits, reason, balance, at, author)
  VALUES ('of-the-operator', '102', -5, 'A mistake', 10, 1767225601000, 'operator');
