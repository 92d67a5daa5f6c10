-- UPDATE: assignments and conditions of all kinds, on a flat table.

CREATE TABLE t (id INT, name STRING, price DECIMAL(6,2), flag BOOLEAN) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'one', 1.10, true), (2, 'two', 2.20, false), (3, NULL, NULL, NULL), (4, 'four', 4.40, true);

-- the old version is deleted in its bucket, the new one is written beside it under the next statement ID
--FILES t
--ROWS t
UPDATE t SET name = 'TWO' WHERE id = 2;
SELECT * FROM t ORDER BY id;
SELECT ROW__ID, id FROM t ORDER BY id;

-- the updated row again
UPDATE t SET name = concat(name, '!') WHERE name = 'TWO';
SELECT * FROM t ORDER BY id;

-- several columns, each from the row as it was before
UPDATE t SET id = id + 10, price = price * id WHERE flag;
SELECT * FROM t ORDER BY id;

-- a condition that is NULL changes nothing
UPDATE t SET flag = false WHERE price > 100 OR name > 'zzz';
UPDATE t SET flag = false WHERE flag IS NULL;
SELECT * FROM t ORDER BY id;

-- NULL and DEFAULT
UPDATE t SET name = NULL, flag = DEFAULT WHERE id = 2;
SELECT * FROM t WHERE id = 2;

-- aliases and qualified columns
UPDATE t AS x SET x.name = 'alias', price = x.price + 1 WHERE x.id = 11;
SELECT * FROM t WHERE id = 11;

-- subqueries in the condition and in an assignment
CREATE TABLE prices (id INT, price DECIMAL(6,2)) STORED AS ORC;
INSERT INTO prices VALUES (3, 33.33), (14, 14.14);
UPDATE t SET name = 'in' WHERE id IN (SELECT id FROM prices);
UPDATE t SET price = (SELECT max(price) FROM prices) WHERE id = 3;
UPDATE t SET price = (SELECT max(p.price) FROM prices p WHERE p.id = t.id) WHERE EXISTS (SELECT 1 FROM prices p WHERE p.id = t.id);
SELECT * FROM t ORDER BY id;

-- store assignment: casts, and their errors
UPDATE t SET price = 7 WHERE id = 2;
UPDATE t SET id = 2.0 WHERE id = 2;
UPDATE t SET price = 123456.78 WHERE id = 2;
UPDATE t SET id = 'text' WHERE id = 2;
UPDATE t SET flag = 1 WHERE id = 2;
UPDATE t SET id = CAST('2' AS INT), name = 5, price = CAST(1 AS STRING) WHERE id = 2;
UPDATE t SET id = CAST('2' AS INT), name = 5 WHERE id = 2;
SELECT * FROM t WHERE id = 2;

-- errors of Spark's own, with the user's text
UPDATE t SET unknown = 1;
UPDATE t SET name = unknown;
UPDATE t SET name = 'a', name = 'b';
UPDATE t SET name = max(name);
UPDATE t SET name = 'x' WHERE count(*) > 1;
UPDATE t SET name = 'x' WHERE id;

-- without WHERE, with a false one, with one that finds nothing, and an empty table
UPDATE t SET flag = true;
UPDATE t SET flag = false WHERE false;
UPDATE t SET flag = false WHERE id = 999;
SELECT count(*), count_if(flag) FROM t;
DELETE FROM t;
UPDATE t SET flag = false;

-- nested fields, arrays, maps, odd names
CREATE TABLE n (id INT, s STRUCT<a: INT, b: STRING>, l ARRAY<INT>, m MAP<STRING, INT>, `select` STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO n VALUES (1, named_struct('a', 1, 'b', 'x'), array(1, 2), map('k', 1), 'y');
UPDATE n SET s.a = s.a + 1, `select` = 'z' WHERE id = 1;
UPDATE n SET l = array_append(l, 3), m = map_concat(m, map('j', 2)) WHERE s.a = 2;
SELECT * FROM n;

-- the identity of a row can be asked for, not assigned
UPDATE n SET id = 7 WHERE ROW__ID.writeid = 3;
UPDATE n SET ROW__ID = NULL;
SELECT id, ROW__ID.writeid FROM n;
