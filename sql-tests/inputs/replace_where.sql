-- INSERT … REPLACE WHERE: the rows for which the condition is true go, and new ones, which satisfy it, come.

CREATE TABLE t (id INT, name STRING, price DECIMAL(6,2)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'one', 1.10), (2, 'two', 2.20), (3, 'three', 3.30), (NULL, 'null', 0.00);

-- by position, cast as in any INSERT; rows for which the condition is NULL stay. The deletes come under statement ID 0,
-- the new rows under 2, as in a MERGE
--FILES t
INSERT INTO t REPLACE WHERE id >= 2 VALUES (2, 'zwei', 22), (4, 'vier', 44.444);
SELECT * FROM t ORDER BY id;

-- new rows alone, deletes alone, nothing
INSERT INTO t REPLACE WHERE id = 5 SELECT 5, 'five', 5;
INSERT INTO t REPLACE WHERE id = 5 SELECT * FROM t WHERE false;
INSERT INTO t REPLACE WHERE id = 5 SELECT * FROM t WHERE false;
INSERT INTO t REPLACE WHERE id < NULL SELECT * FROM t WHERE id < NULL;
SELECT * FROM t ORDER BY id;

-- the table as its own source, a CTE, another table's rows of which some do not come
INSERT INTO t REPLACE WHERE id > 1 SELECT id + 1, upper(name), price FROM t WHERE id > 1;
WITH c AS (SELECT 3 AS id, 'cte' AS name) INSERT INTO t REPLACE WHERE id <=> 3 SELECT id, name, NULL FROM c;
CREATE TEMP VIEW s AS SELECT * FROM VALUES (1, 'a', 1.5), (9, 'b', 2.5), (NULL, 'c', 3.5) AS s(id, name, price);
INSERT INTO t REPLACE WHERE id < 2 SELECT * FROM s WHERE id < 2;
INSERT INTO t REPLACE WHERE id = 9 SELECT s.* FROM s JOIN t ON s.price > t.price AND s.id = 9 AND t.id = 1;
SELECT * FROM t ORDER BY id, name;

-- a row that does not satisfy the condition, or for which it is NULL, is an error, and nothing is changed
INSERT INTO t REPLACE WHERE id = 1 VALUES (1, 'fits', 0), (2, 'does not', 0);
INSERT INTO t REPLACE WHERE id > 1 AND (name <> 'x') SELECT * FROM s;
INSERT INTO t REPLACE WHERE false VALUES (1, 'one', 0);
INSERT INTO t REPLACE WHERE price = 1.005 VALUES (1, 'rounded', 1.005);
INSERT INTO t REPLACE WHERE id IS NULL SELECT id, name, price FROM s;
INSERT INTO t REPLACE WHERE (id + 1) IS NOT NULL SELECT * FROM s;
SELECT * FROM t ORDER BY id, name;

-- columns qualified by the table's name, functions, variables, parameters; DEFAULT
DECLARE VARIABLE wanted INT DEFAULT 9;
INSERT INTO t REPLACE WHERE t.id = wanted VALUES (9, 'variable', 9);
EXECUTE IMMEDIATE 'INSERT INTO t REPLACE WHERE id = :id VALUES (:id, :name, 8)' USING 9 AS id, 'parameter' AS name;
INSERT INTO t REPLACE WHERE length(name) > 3 AND t.price IS NOT NULL VALUES (7, 'seven', 7);
INSERT INTO t REPLACE WHERE price IS NULL VALUES (10, 'default', DEFAULT);
INSERT INTO IDENTIFIER('t') REPLACE WHERE id = 10 VALUES (10, 'identifier', 10);
SELECT * FROM t ORDER BY id, name;

-- a column list, and by name
INSERT INTO t (name, id) REPLACE WHERE id = 10 VALUES ('listed', 10);
INSERT INTO t BY NAME REPLACE WHERE id = 10 SELECT 'named' AS name, 1.5 AS price, 10 AS id;
SELECT * FROM t WHERE id = 10;

-- where TRUE is all there is, the table is overwritten
CREATE TABLE o (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO o VALUES (1), (NULL);
--FILES o
INSERT INTO o REPLACE WHERE true VALUES (2);
SELECT * FROM o;

-- types that are compared in their own ways, and nested ones
CREATE TABLE k (c CHAR(3), v VARCHAR(5), f FLOAT, d DATE, a ARRAY<INT>, s STRUCT<x: INT, Y: STRING>, m MAP<STRING, INT>) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO k VALUES ('a', 'vv', 0.1F, DATE'2024-01-01', array(1), named_struct('x', 1, 'Y', 'y'), map('m', 1)), ('b', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO k REPLACE WHERE c = 'a' AND 'vv' = v AND f = 0.1F AND s.x = 1 AND a[0] = 1 SELECT 'a', 'vv', 0.1F, DATE'2024-01-02', array(1, 2), named_struct('x', 1, 'Y', 'z'), map('n', 2);
INSERT INTO k REPLACE WHERE c IN ('b', 'cc') SELECT 'cc', 'v', NULL, NULL, NULL, NULL, NULL;
SELECT * FROM k ORDER BY c;
INSERT INTO k REPLACE WHERE c = 'a' VALUES ('aaaa', NULL, NULL, NULL, NULL, NULL, NULL);

-- partitions: that of the condition, new ones, NULL's
CREATE TABLE p (id INT, name STRING) PARTITIONED BY (d INT, k STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO p VALUES (1, 'a', 0, 'x'), (2, 'b', 1, 'x'), (3, 'c', 1, 'y'), (4, 'd', 0, NULL);
--FILES p
INSERT INTO p REPLACE WHERE d = 1 VALUES (5, 'e', 1, 'x'), (6, 'f', 1, 'new');
INSERT INTO p REPLACE WHERE k IS NULL SELECT id * 10, name, d + 1, k FROM p WHERE k IS NULL;
INSERT INTO p REPLACE WHERE d = 1 AND k = 'x' VALUES (7, 'g', 1, 'X');
SELECT * FROM p ORDER BY id;
SELECT d, k, count(*) FROM p GROUP BY ALL ORDER BY ALL;
INSERT INTO p PARTITION (d = 1, k = 'x') REPLACE WHERE d = 1 VALUES (7, 'g');

-- columns named like those of the rewriting
CREATE TABLE r (`__change` INT, `__e0` INT, `__from_d` INT) PARTITIONED BY (d INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO r VALUES (1, 1, 1, 1), (2, 2, 2, 2);
INSERT INTO r REPLACE WHERE `__e0` = 1 SELECT `__change` + 10, `__e0`, `__from_d`, d FROM r WHERE `__e0` = 1;
SELECT * FROM r ORDER BY 1;

-- what is refused by name
INSERT INTO t REPLACE WHERE id IN (SELECT id FROM s) SELECT * FROM s;
INSERT INTO t REPLACE WHERE id = (SELECT 1) VALUES (1, 'one', 0);
INSERT INTO t REPLACE WHERE rand() < 2 SELECT * FROM s;
INSERT INTO t REPLACE WHERE ROW__ID.rowid = 0 SELECT * FROM s;
FROM s INSERT INTO t REPLACE WHERE id = 1 SELECT * WHERE id = 1 INSERT INTO t SELECT *;
FROM s INSERT INTO t REPLACE WHERE id = 1 SELECT * WHERE id = 1 INSERT INTO o REPLACE WHERE id = 1 SELECT id;
CREATE TABLE b (id INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true', 'bucketing_version' = '3');
INSERT INTO b REPLACE WHERE id = 1 VALUES (1);

-- errors of Spark's own
INSERT INTO t REPLACE WHERE unknown = 1 SELECT * FROM s;
INSERT INTO t REPLACE WHERE s.id = 1 SELECT * FROM s;
INSERT INTO t REPLACE WHERE name SELECT * FROM s;
INSERT INTO t REPLACE WHERE max(id) > 1 SELECT * FROM s;
INSERT INTO t REPLACE WHERE id = 1 SELECT 1, 'one';
INSERT INTO t REPLACE WHERE id = 1 SELECT 'x', 'one', 1;
INSERT INTO t REPLACE WHERE id = 1 SELECT nothing FROM s;
INSERT INTO s REPLACE WHERE id = 1 SELECT * FROM t;
CREATE TABLE plain (id INT) STORED AS ORC;
INSERT INTO plain REPLACE WHERE id = 1 VALUES (1);
SELECT * FROM t ORDER BY id, name;
