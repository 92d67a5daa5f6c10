-- Columns that the source alone has come behind those of the table, and go again if the statement fails.
CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'one'), (2, 'two');
CREATE TABLE p (id INT, name STRING) PARTITIONED BY (d STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO p VALUES (1, 'one', 'a'), (2, 'two', 'b');

-- A MERGE takes all of its source by *, or what it names.
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 AS id, 'zwei' AS name, 2.5 AS more UNION ALL SELECT 3, 'drei', 3.5) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t ORDER BY id;
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 AS id, 'ii' AS name) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name;
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 AS id, DATE '2020-01-01' AS at, 1 AS unused) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = s.at;
SELECT * FROM t ORDER BY id;

-- An INSERT takes what is left of its query, or what has a name of its own.
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 7, 'seven', 1.0, DATE '2021-01-01', 'x' AS extra;
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 8 AS id, 'y' AS other;
INSERT WITH SCHEMA EVOLUTION INTO t (id, third) SELECT 9, 3;
INSERT WITH SCHEMA EVOLUTION INTO t REPLACE USING (id) SELECT 8, 'eight', 1.0, DATE '2021-01-01', 'x', 'z', 4, 5L AS last;
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 10, 'ten', 1.0, DATE '2021-01-01', 'x', 'z', 4, 6;
WITH c AS (SELECT 11 AS id, true AS flag) INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT * FROM c;
INSERT WITH SCHEMA EVOLUTION OVERWRITE p BY NAME SELECT 3 AS id, 'a' AS d, 'x' AS extra;
SELECT * FROM t ORDER BY id;
SELECT * FROM p ORDER BY id;

-- A source that is the table itself has the columns from before.
INSERT WITH SCHEMA EVOLUTION INTO p BY NAME SELECT *, 5 AS own FROM p WHERE id = 3;
MERGE WITH SCHEMA EVOLUTION INTO p USING (SELECT *, 6 AS own2 FROM p WHERE id = 2) AS s ON p.id = s.id WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM p ORDER BY id, own;

-- By position they would come before the partition's columns.
--EXPECT error
INSERT WITH SCHEMA EVOLUTION INTO p SELECT 7, 'seven', 'x', 1, 2, 'a', 'y' AS more;
INSERT WITH SCHEMA EVOLUTION INTO p SELECT 7, 'seven', 'x', 1, 2, 'a';

-- A statement that fails leaves the columns as they were.
--EXPECT error
MERGE WITH SCHEMA EVOLUTION INTO p USING (SELECT 2 AS id, 'b' AS d, CAST(raise_error('no') AS INT) AS gone) AS s ON p.id = s.id WHEN MATCHED THEN UPDATE SET gone = s.gone;
--EXPECT error
INSERT WITH SCHEMA EVOLUTION INTO p BY NAME SELECT 8 AS id, NULL AS gone, 'a' AS d;
--EXPECT error
INSERT WITH SCHEMA EVOLUTION INTO p BY NAME SELECT 8 AS id, 1 AS row__id, 'a' AS d;
DESCRIBE p;

START TRANSACTION;
--EXPECT error
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 12 AS id, 1 AS within;
ROLLBACK;
EXPLAIN INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 12 AS id, 1 AS explained;
--EXPECT error
EXPLAIN ACID INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 12 AS id, 1 AS explained;
EXPLAIN ACID INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 12 AS id;
DESCRIBE t;
