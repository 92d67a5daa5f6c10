-- INSERT INTO adds exactly the rows of its source, matched to columns and cast by Spark's store assignment.

CREATE TABLE t (id INT, name STRING, qty DECIMAL(5, 2)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE plain (id INT, name STRING) STORED AS ORC;

INSERT INTO plain VALUES (7, 'seven'), (8, NULL);

-- VALUES

--FILES t
--ROWS t
INSERT INTO t VALUES (1, 'one', 1.00), (2, NULL, NULL), (NULL, '', 0.5);

SELECT * FROM t;

-- nothing to insert leaves no trace

--FILES t
INSERT INTO t SELECT * FROM t WHERE false;

-- SELECT: from itself, from a plain table, with aggregates, UNION, duplicates

--ROWS t
INSERT INTO t SELECT /*+ COALESCE(1) */ id + 10, upper(name), qty * 2 FROM t WHERE id IS NOT NULL;

SELECT * FROM t;

INSERT INTO t SELECT id, name, 3 FROM plain;

INSERT INTO t SELECT max(id), 'max', sum(qty) FROM t;

INSERT INTO t SELECT 1, 'one', 1 UNION ALL SELECT 1, 'one', 1;

INSERT INTO t TABLE t;

SELECT id, name, qty, count(*) FROM t GROUP BY id, name, qty;

DELETE FROM t;

-- column list: others become NULL; order is free; names in any case

INSERT INTO t (name, id) VALUES ('listed', 20);

INSERT INTO t (NAME) VALUES ('only name');

INSERT INTO t BY NAME SELECT 21 AS id, 'by name' AS name;

INSERT INTO t BY NAME SELECT 22 AS id, 1.5 AS qty, 'all' AS name;

INSERT INTO t VALUES (23, DEFAULT, 2);

WITH c AS (SELECT 24 AS id) INSERT INTO t SELECT id, 'cte', NULL FROM c;

INSERT INTO TABLE t SELECT 25, 'table', 1;

FROM plain INSERT INTO t SELECT id, name, NULL WHERE id = 8;

SELECT * FROM t;

-- wrong columns

INSERT INTO t VALUES (1, 'x');

INSERT INTO t VALUES (1, 'x', 1, 1);

INSERT INTO t (id, name) VALUES (1);

INSERT INTO t (id, id) VALUES (1, 2);

INSERT INTO t (id, unknown) VALUES (1, 2);

INSERT INTO t BY NAME SELECT 1 AS id, 2 AS unknown;

INSERT INTO nowhere VALUES (1);

-- store assignment: a value that does not fit is an error, never another value

INSERT INTO t VALUES (2147483648, 'too large', 1);

INSERT INTO t SELECT 2147483647 + id, 'overflow', 1 FROM t WHERE id = 20;

INSERT INTO t VALUES ('30', 'string to int', 1);

INSERT INTO t SELECT name, name, qty FROM t;

INSERT INTO t VALUES (31, 31, 1);

INSERT INTO t VALUES (32, true, 1);

INSERT INTO t VALUES (true, 'boolean to int', 1);

INSERT INTO t VALUES (DATE '2020-01-01', 'date to int', 1);

INSERT INTO t VALUES (33, 'rounded', 1.005);

INSERT INTO t VALUES (34, 'too many digits', 1000);

INSERT INTO t VALUES (35.9, 'decimal to int', 1);

INSERT INTO t VALUES (36, array('x'), 1);

SELECT * FROM t WHERE id >= 30 OR id IS NULL;

-- an error in one of the rows leaves none of them

INSERT INTO t SELECT 40 + id, 'part', 10 / (id - 1) FROM VALUES (0), (1), (2) AS s(id);

SELECT * FROM t WHERE name = 'part';

-- CHAR and VARCHAR: too long is an error, CHAR is padded

CREATE TABLE c (id INT, c CHAR(4), v VARCHAR(4)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO c VALUES (1, 'ab', 'ab'), (2, 'abcd', 'abcd'), (3, 'ab    ', 'ab    '), (4, '', ''), (5, NULL, NULL), (6, 'äöüß', '日本');

INSERT INTO c VALUES (7, 'abcde', 'x');

INSERT INTO c VALUES (8, 'x', 'abcde');

SELECT id, concat('[', c, ']') AS c, length(c) AS c_length, concat('[', v, ']') AS v FROM c;

SELECT id FROM c WHERE c = 'ab';

--ROWS c
DELETE FROM c WHERE c = 'ab' AND v = 'ab';

-- nested values: by position inside a VALUES, with the casts of their fields

CREATE TABLE n (id INT, a ARRAY<BIGINT>, m MAP<STRING, INT>, s STRUCT<x: INT, y: STRUCT<z: STRING>>, d ARRAY<STRUCT<k: INT>>)
STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO n VALUES
  (1, array(1, NULL, 9223372036854775807), map('k', 1, 'l', NULL), named_struct('x', 1, 'y', named_struct('z', 'deep')), array(named_struct('k', 1), NULL)),
  (2, array(), map(), named_struct('x', NULL, 'y', NULL), array()),
  (3, NULL, NULL, NULL, NULL);

INSERT INTO n (id, s) VALUES (4, named_struct('x', 'no int', 'y', NULL));

INSERT INTO n (id, a) VALUES (5, array('1'));

INSERT INTO n (id, s) SELECT 6, named_struct('x', 1Y, 'y', named_struct('z', 'narrow'));

--ROWS n
DELETE FROM n WHERE s.y.z = 'narrow';

SELECT * FROM n;
