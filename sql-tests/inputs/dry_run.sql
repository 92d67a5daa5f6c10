-- EXPLAIN ACID says what a statement would do, and does nothing; limits refuse what would change too many rows.

--SET spark.sql.shuffle.partitions=2

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');

EXPLAIN ACID DELETE FROM t WHERE id > 2;

explain acid UPDATE t SET name = 'x' WHERE id = 1;

EXPLAIN ACID
MERGE INTO t USING (VALUES (1), (2), (9) AS v(k)) ON id = k
WHEN MATCHED AND k = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'm' WHEN NOT MATCHED THEN INSERT VALUES (k, 'n');

EXPLAIN ACID INSERT INTO t VALUES (5, 'e');

EXPLAIN ACID WITH more AS (SELECT id + 4, name FROM t) INSERT OVERWRITE t SELECT * FROM more;

EXPLAIN ACID TRUNCATE TABLE t;

EXPLAIN ACID DELETE FROM t WHERE id > 100;

EXECUTE IMMEDIATE 'EXPLAIN ACID DELETE FROM t WHERE id > :i' USING 3 AS i;

--FILES t
SELECT * FROM t ORDER BY id;

-- partitions, by their names where these are known before

CREATE TABLE p (id INT) PARTITIONED BY (d INT, e STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO p VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'x');

EXPLAIN ACID UPDATE p SET id = id + 1 WHERE d = 1;

EXPLAIN ACID UPDATE p SET d = 3 WHERE e = 'x';

EXPLAIN ACID MERGE INTO t USING p ON true WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = 0;

EXPLAIN ACID INSERT INTO p SELECT id, id, name FROM t;

EXPLAIN ACID INSERT OVERWRITE p PARTITION (d = 2, e = 'x') SELECT id FROM t;

EXPLAIN ACID INSERT OVERWRITE p PARTITION (d = 1, e) SELECT 5, 'new';

EXPLAIN ACID TRUNCATE TABLE p PARTITION (d = 1);

EXPLAIN ACID TRUNCATE TABLE p PARTITION (d = 7, e = 'x');

SHOW PARTITIONS p;

--FILES p
SELECT * FROM p ORDER BY id;

-- what the statement refuses

EXPLAIN ACID UPDATE t SET id = CAST(name AS INT);

EXPLAIN ACID MERGE INTO t USING p ON true WHEN MATCHED THEN UPDATE SET name = 'twice';

EXPLAIN ACID DELETE FROM t WHERE nothing = 1;

EXPLAIN ACID DELETE FROM t WHERE (;

-- what is no statement for it

EXPLAIN ACID SELECT * FROM t;

EXPLAIN ACID FROM t INSERT INTO t SELECT id, name INSERT INTO t SELECT id, name;

EXPLAIN ACID CREATE TABLE c STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT 1 AS a;

EXPLAIN ACID EXECUTE IMMEDIATE 'DELETE FROM t';

CREATE TABLE plain (id INT) STORED AS ORC;

EXPLAIN ACID INSERT INTO plain VALUES (1);

EXPLAIN ACID;

-- limits, which the dry run knows too

SET spark.hiveacid.guard.maxRows = 2;

EXPLAIN ACID DELETE FROM t WHERE id > 1;

DELETE FROM t WHERE id > 1;

UPDATE p SET id = 0;

TRUNCATE TABLE t;

INSERT OVERWRITE t VALUES (1, 'x');

MERGE INTO t USING t AS s ON t.id = s.id WHEN MATCHED THEN DELETE;

TRUNCATE TABLE p;

RESET spark.hiveacid.guard.maxRows;

SET spark.hiveacid.guard.maxPercent = 50;

DELETE FROM t WHERE id > 1;

--FILES t
DELETE FROM t WHERE id > 2;

INSERT OVERWRITE p PARTITION (d = 1, e) SELECT 7, 'z';

TRUNCATE TABLE p PARTITION (d = 2);

SET spark.hiveacid.guard.maxPercent = 101;

DELETE FROM t;

RESET spark.hiveacid.guard.maxPercent;

SELECT * FROM t ORDER BY id;

SELECT * FROM p ORDER BY id;
