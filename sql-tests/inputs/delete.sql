-- DELETE removes exactly the rows for which its condition is true, whatever the condition is made of.
-- After each statement a SELECT shows what is left; rows come back by an INSERT.

CREATE TABLE t (id INT, name STRING, qty DECIMAL(6, 2), tags ARRAY<STRING>, at STRUCT<x: INT, y: INT>)
STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE leavers (id INT, why STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE plain (id INT) STORED AS ORC;

INSERT INTO plain VALUES (1), (NULL);

CREATE TEMPORARY VIEW seed AS SELECT * FROM VALUES
  (1, 'one', 1.00, array('a', 'b'), named_struct('x', 1, 'y', 1)),
  (2, 'two', 2.50, array('b'), named_struct('x', 1, 'y', 2)),
  (3, 'three', NULL, array(), NULL),
  (4, NULL, 4.00, NULL, named_struct('x', 2, 'y', NULL)),
  (5, 'fünf', 5.25, array('e', NULL), named_struct('x', NULL, 'y', 5)),
  (NULL, 'none', 0.00, array('z'), named_struct('x', 3, 'y', 3))
  AS seed(id, name, qty, tags, at);

-- an empty table

--FILES t
DELETE FROM t;

--FILES t
DELETE FROM t WHERE id = 1;

--FILES t
INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM seed;

-- nothing to delete leaves no trace

--FILES t
DELETE FROM t WHERE false;

DELETE FROM t WHERE 1 > 2;

--FILES t
DELETE FROM t WHERE id = 1 AND 1 = 0;

INSERT INTO leavers VALUES (2, 'moved'), (4, 'quit'), (9, 'unknown');

-- Spark takes WHERE for an alias if nothing follows

DELETE FROM t WHERE;

DELETE FROM t AS rows_of_t WHERE id = 99;

-- three-valued logic: NULL is not true, so the row stays

DELETE FROM t WHERE id = NULL;

DELETE FROM t WHERE id <> 1 AND id <> 2 AND id <> 3 AND id <> 4;

SELECT id, name FROM t;

DELETE FROM t WHERE NOT (id > 3);

SELECT id, name FROM t;

DELETE FROM t WHERE id IS NULL;

SELECT id, name FROM t;

INSERT INTO t SELECT * FROM seed WHERE id IN (1, 2, 3) OR id IS NULL OR id = 5;

SELECT id, name FROM t;

-- the null-safe comparison; a condition that is NULL; rows that are there twice

DELETE FROM t WHERE id <=> NULL;

DELETE FROM t WHERE CAST(NULL AS BOOLEAN);

DELETE FROM t WHERE id = 5;

DELETE FROM t WHERE id = 5;

SELECT id, name FROM t;

-- lists, ranges, patterns, CASE, functions

INSERT INTO t SELECT * FROM seed WHERE id = 5 OR id IS NULL;

DELETE FROM t WHERE id IN (2, 3, NULL, 77);

SELECT id, name FROM t;

DELETE FROM t WHERE id NOT IN (1, NULL);

DELETE FROM t WHERE id BETWEEN 4 AND 4;

SELECT id, name FROM t;

DELETE FROM t WHERE name LIKE 'f_nf';

DELETE FROM t WHERE CASE WHEN id IS NULL THEN length(name) = 4 ELSE false END;

SELECT id, name FROM t;

DELETE FROM t WHERE upper(coalesce(name, 'x')) = concat('O', 'NE') AND date_sub(DATE '2020-01-02', 1) = DATE '2020-01-01';

SELECT count(*) FROM t;

INSERT INTO t SELECT * FROM seed;

-- nested values

DELETE FROM t WHERE array_contains(tags, 'b') AND at.y = 2;

DELETE FROM t WHERE exists(tags, x -> x IS NULL);

SELECT id, tags, at FROM t;

-- a condition that is always true; none at all

DELETE FROM t WHERE 1 + 1 = 2;

SELECT count(*) FROM t;

INSERT INTO t SELECT * FROM seed;

DELETE FROM t;

SELECT count(*) FROM t;

INSERT INTO t SELECT * FROM seed;

-- subqueries: IN, NOT IN with NULL, EXISTS, scalar, correlated, of the table itself, of a plain table

DELETE FROM t WHERE id IN (SELECT id FROM leavers WHERE why = 'moved');

SELECT id FROM t;

DELETE FROM t WHERE id NOT IN (SELECT id FROM plain);

DELETE FROM t WHERE EXISTS (SELECT 1 FROM leavers l WHERE l.id = t.id);

SELECT id FROM t;

DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM plain p WHERE p.id = t.id) AND id IS NOT NULL AND id > 4;

SELECT id FROM t;

DELETE FROM t WHERE id = (SELECT max(id) FROM t);

SELECT id FROM t;

DELETE FROM t AS target WHERE target.id = (SELECT min(inner_t.id) FROM t AS inner_t WHERE inner_t.name = target.name);

SELECT id FROM t;

INSERT INTO t SELECT * FROM seed;

DELETE FROM t WHERE id IN (SELECT id + 1 FROM t WHERE name = 'one') OR name IN (SELECT name FROM t WHERE id IS NULL);

SELECT id, name FROM t;

DELETE FROM t WHERE id > (SELECT count(*) FROM plain WHERE id IS NULL) AND id IN (WITH c AS (SELECT id FROM leavers) SELECT id FROM c);

SELECT id, name FROM t;

DELETE FROM t WHERE qty > (SELECT id FROM leavers);

-- a common table expression before DELETE

WITH c AS (SELECT 1 AS id) DELETE FROM t WHERE id IN (SELECT id FROM c);

-- alias: the table's own name is hidden by it

DELETE FROM t AS x WHERE x.id = 3;

DELETE FROM t x WHERE t.id = 1;

DELETE FROM t WHERE t.id = 77;

SELECT id, name FROM t;

-- refused with the user's text and place

DELETE FROM t WHERE unknown = 1;

DELETE FROM t WHERE id = 1 AND nmae = 'one';

DELETE FROM t WHERE max(id) = 5;

DELETE FROM t WHERE row_number() OVER (ORDER BY id) = 1;

DELETE FROM t WHERE explode(tags) = 'a';

DELETE FROM t WHERE id;

DELETE FROM t WHERE NULL;

DELETE FROM t WHERE name = 1;

DELETE FROM nowhere WHERE id = 1;

DELETE FROM t WHERE id = 1 / 0;

SELECT id, name FROM t;

-- quoted names, odd case, reserved words, unicode, names like the hidden ones

CREATE TABLE `Odd` (`select` INT, `a b` STRING, `größe` INT, `__change` INT, `operation` INT, `rowid` STRING)
STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO odd VALUES (1, 'x;y', 10, 1, 0, 'r'), (2, 'it''s', 20, 2, 2, 's'), (3, '日本', 30, 3, 2, 't');

DELETE FROM ODD WHERE `SELECT` = 1 AND `a b` = 'x;y';

DELETE FROM `odd` AS `o` WHERE `o`.`größe` = 30 AND `a b` = '日本';

--ROWS odd
DELETE FROM odd WHERE __change = 3 OR operation = 0;

SELECT * FROM odd;

DELETE FROM odd WHERE rowid = 's' AND `__change` = 2;

SELECT * FROM odd;

-- a view is no table to delete from

CREATE VIEW v AS SELECT id FROM t;

DELETE FROM v WHERE id = 1;

SELECT id FROM t;
