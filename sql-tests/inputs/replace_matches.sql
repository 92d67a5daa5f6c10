-- INSERT … REPLACE USING and REPLACE ON: the rows that a new one matches go, and all new ones come.

CREATE TABLE t (id INT, name STRING, price DECIMAL(6,2)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'one', 1.10), (1, 'one too', 1.11), (2, 'two', 2.20), (NULL, 'null', 0.00);
CREATE TEMP VIEW s AS SELECT * FROM VALUES (1, 'a', 1.555), (1, 'b', 2.5), (9, 'c', 3.5), (NULL, 'd', 4.5) AS s(id, name, price);

-- by position, cast as in any INSERT; NULL is equal to nothing. Each row goes once, and each new one comes once
--FILES t
INSERT INTO t REPLACE USING (id) SELECT * FROM s;
SELECT * FROM t ORDER BY id, name;

-- no new rows replace nothing; one that matches nothing comes alone
INSERT INTO t REPLACE USING (id) SELECT * FROM s WHERE false;
INSERT INTO t REPLACE USING (id, NAME) VALUES (1, 'none', 1);
SELECT * FROM t ORDER BY id, name;

-- a condition, in which NULL may be equal to NULL; the target's alias, the query's, or none
INSERT INTO t AS x REPLACE ON x.id <=> s.id (SELECT * FROM s WHERE id IS NULL) AS s;
INSERT INTO t REPLACE ON t.id = n.key AND t.price > 2 (SELECT 1 AS key, 'on' AS name, 7 AS price) AS n;
INSERT INTO t AS x REPLACE ON x.price BETWEEN s.price - 1 AND s.price + 1 SELECT s.id, 'near', s.price FROM s WHERE id = 9;
SELECT * FROM t ORDER BY id, name;

-- the table as its own source; a CTE; random rows
INSERT INTO t REPLACE USING (id) SELECT id, concat(name, '!'), price FROM t WHERE id = 9;
WITH c AS (SELECT 2 AS id) INSERT INTO t REPLACE USING (id) SELECT id, 'cte', NULL FROM c;
INSERT INTO t REPLACE USING (id) SELECT CAST(rand() AS INT) + 2, 'random', 0;
SELECT * FROM t ORDER BY id, name;

-- DEFAULT, column lists, by name
INSERT INTO t REPLACE USING (id) VALUES (10, 'default', DEFAULT);
INSERT INTO t BY NAME REPLACE USING (id) SELECT 'named' AS name, 1.5 AS price, 10 AS id;
SELECT * FROM t WHERE id = 10;

-- types that are compared in their own ways
CREATE TABLE k (c CHAR(3), v VARCHAR(5), f FLOAT, d DATE, st STRUCT<x: INT, Y: STRING>) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO k VALUES ('a', 'vv', 0.1F, DATE'2024-01-01', named_struct('x', 1, 'Y', 'y')), ('b', NULL, NULL, NULL, NULL);
INSERT INTO k REPLACE USING (c, v, f, d, st) VALUES ('a', 'vv', 0.1F, DATE'2024-01-01', named_struct('x', 1, 'Y', 'y'));
INSERT INTO k AS x REPLACE ON x.c = s.c (SELECT CAST('b' AS CHAR(3)) AS c, 'new' AS v, NULL AS f, NULL AS d, NULL AS st) AS s;
SELECT * FROM k ORDER BY c;

-- partitions, and columns named like those of the rewriting
CREATE TABLE p (`__asks` INT, `__e0` STRING) PARTITIONED BY (d INT, k STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO p VALUES (1, 'a', 0, 'x'), (2, 'b', 1, 'x'), (3, 'c', 1, 'y'), (4, 'd', 0, NULL);
--FILES p
INSERT INTO p REPLACE USING (d, k) VALUES (5, 'e', 1, 'x'), (6, 'f', 1, 'new'), (7, 'g', 0, NULL);
INSERT INTO p AS x REPLACE ON x.`__e0` = s.`__e0` (SELECT `__asks` + 1 AS `__asks`, `__e0`, d + 1, k FROM p WHERE `__asks` = 3) AS s;
SELECT * FROM p ORDER BY `__asks`;

-- what is refused by name
INSERT INTO t AS x REPLACE ON x.id IN (SELECT 1) SELECT * FROM s;
INSERT INTO t AS x REPLACE ON x.id = s.id AND rand() < 2 SELECT * FROM s;
INSERT INTO t AS x REPLACE ON x.ROW__ID.rowid = s.id SELECT * FROM s;
INSERT INTO t REPLACE USING (ROW__ID) SELECT * FROM s;
CREATE TABLE i (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only');
INSERT INTO i REPLACE USING (id) VALUES (1);

-- errors of Spark's own
--EXPECT error
INSERT INTO t REPLACE USING (unknown) SELECT * FROM s;
INSERT INTO t AS x REPLACE ON x.id = y.id SELECT * FROM s;
INSERT INTO t AS x REPLACE ON x.name SELECT * FROM s;
INSERT INTO t REPLACE USING (id) SELECT 1, 'one';
CREATE TABLE plain (id INT) STORED AS ORC;
INSERT INTO plain REPLACE USING (id) VALUES (1);
SELECT * FROM t ORDER BY id, name;
