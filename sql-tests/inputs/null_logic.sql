-- A condition that is NULL is not true: the row stays unchanged, in UPDATE and DELETE as it is left out in SELECT.
-- NULL is kept apart from empty, zero and a nested NULL, in rows and in files.

--CONFIG_DIM1 spark.sql.orc.filterPushdown=true
--CONFIG_DIM1 spark.sql.orc.filterPushdown=false

CREATE TABLE t (id INT, a INT, b INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 1, 1, 'x'), (2, 1, NULL, ''), (3, NULL, 1, NULL), (4, NULL, NULL, 'NULL'), (5, 0, 2, 'y'), (NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL);

CREATE TABLE keys (k INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO keys VALUES (1), (NULL);

SELECT '=', collect_list(id) FROM (SELECT id FROM t WHERE a = b ORDER BY id)
UNION ALL SELECT '<=>', collect_list(coalesce(id, -1)) FROM (SELECT id FROM t WHERE a <=> b ORDER BY id)
UNION ALL SELECT '<>', collect_list(id) FROM (SELECT id FROM t WHERE a <> b ORDER BY id)
UNION ALL SELECT 'NOT <=>', collect_list(id) FROM (SELECT id FROM t WHERE NOT (a <=> b) ORDER BY id)
UNION ALL SELECT '<=> NULL', collect_list(coalesce(id, -1)) FROM (SELECT id FROM t WHERE a <=> NULL ORDER BY id)
UNION ALL SELECT '= NULL', collect_list(id) FROM (SELECT id FROM t WHERE a = NULL)
UNION ALL SELECT 'NOT IN', collect_list(id) FROM (SELECT id FROM t WHERE a NOT IN (1, 2) ORDER BY id)
UNION ALL SELECT 'NOT IN NULL', collect_list(id) FROM (SELECT id FROM t WHERE a NOT IN (1, NULL))
UNION ALL SELECT 'IN NULL', collect_list(id) FROM (SELECT id FROM t WHERE a IN (1, NULL) ORDER BY id)
UNION ALL SELECT 'IN keys', collect_list(id) FROM (SELECT id FROM t WHERE a IN (SELECT k FROM keys) ORDER BY id)
UNION ALL SELECT 'NOT IN keys', collect_list(id) FROM (SELECT id FROM t WHERE a NOT IN (SELECT k FROM keys))
UNION ALL SELECT 'OR', collect_list(id) FROM (SELECT id FROM t WHERE a = 1 OR b = 1 ORDER BY id)
UNION ALL SELECT 'AND NOT', collect_list(id) FROM (SELECT id FROM t WHERE NOT (a = 1 AND b = 1) ORDER BY id)
UNION ALL SELECT 'IS NOT TRUE', collect_list(coalesce(id, -1)) FROM (SELECT id FROM t WHERE (a = 1) IS NOT TRUE ORDER BY id)
UNION ALL SELECT 'empty', collect_list(id) FROM (SELECT id FROM t WHERE s = '')
UNION ALL SELECT 'text', collect_list(id) FROM (SELECT id FROM t WHERE s = 'NULL');

-- conditions that are NULL or false for every row change nothing
DELETE FROM t WHERE a = NULL;

-- Spark wants a type
DELETE FROM t WHERE NULL;

SELECT id FROM t WHERE NULL;

DELETE FROM t WHERE a NOT IN (1, NULL);

DELETE FROM t WHERE a NOT IN (SELECT k FROM keys);

DELETE FROM t WHERE a <> (SELECT k FROM keys WHERE k > 99);

UPDATE t SET s = 'changed' WHERE b NOT IN (SELECT k FROM keys);

UPDATE t SET s = 'changed' WHERE CAST(NULL AS BOOLEAN);

SELECT count(*) FROM t;

-- those that are true for some
--ROWS t
UPDATE t SET s = concat(s, '!'), b = a + b WHERE a <=> b;

UPDATE t SET a = NULL, s = nullif(s, 'y') WHERE NOT (a <=> 1) AND id IS NOT NULL;

DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM keys WHERE k = t.a) AND id IN (3, 5, NULL);

SELECT * FROM t ORDER BY id NULLS LAST;

DELETE FROM t WHERE id IS NULL;

SELECT count(*), count(a), count(b), count(s), count_if(s = '') FROM t;

-- NULL, empty and holding NULL are three things in nested types
CREATE TABLE n (id INT, a ARRAY<INT>, m MAP<STRING, INT>, s STRUCT<x: INT, y: STRUCT<z: STRING>>) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO n VALUES
  (1, NULL, NULL, NULL), (2, array(), map(), named_struct('x', NULL, 'y', NULL)),
  (3, array(NULL), map('k', NULL), named_struct('x', NULL, 'y', named_struct('z', NULL))),
  (4, array(1, NULL, 2), map('k', 1, '', NULL), named_struct('x', 1, 'y', named_struct('z', '')));

UPDATE n SET s.y.z = 'set' WHERE s.y IS NULL;

--ROWS n
UPDATE n SET a = NULL, m = map_concat(m, map('n', CAST(NULL AS INT))) WHERE array_contains(a, 1) OR get(a, 0) IS NULL AND size(a) = 1;

SELECT *, s IS NULL, s.y IS NULL, s.y.z IS NULL FROM n ORDER BY id;

-- NULL as a partition
CREATE TABLE p (id INT) PARTITIONED BY (k INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO p VALUES (1, 1), (2, NULL), (3, 2);

DELETE FROM p WHERE k <> 1;

UPDATE p SET id = id * 10 WHERE k <=> NULL OR k NOT IN (SELECT k FROM keys);

SELECT * FROM p ORDER BY id;
