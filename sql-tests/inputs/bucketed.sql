-- A bucketed table: each row lies in the bucket that Hive's hash of the bucketing columns says.

CREATE TABLE b (id INT, name STRING) CLUSTERED BY (id) INTO 4 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true', 'bucketing_version' = '1');

-- by version 1 a number is its own hash
--FILES b
--ROWS b
INSERT INTO b VALUES (0, 'zero'), (1, 'one'), (4, 'four'), (-1, 'minus one'), (NULL, 'null');

-- an UPDATE of another column leaves the row in its bucket
--FILES b
UPDATE b SET name = upper(name) WHERE id IN (1, 4);

-- one of a bucketing column moves it, and counts once; a value that stays moves nothing
--FILES b
--ROWS b
UPDATE b SET id = IF(id = 1, 3, id) WHERE id >= 0;
SELECT id, name, shiftright(ROW__ID.bucketid, 16) & 4095 AS bucket FROM b ORDER BY id;

-- deletes lie in the bucket of the row
--FILES b
DELETE FROM b WHERE id = 3;
--FILES b
MERGE INTO b USING (VALUES (0, 6), (4, 4), (9, 9) AS v(id, new)) s ON b.id = s.id WHEN MATCHED THEN UPDATE SET id = s.new, name = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (s.new, 'inserted');
--FILES b
INSERT INTO b REPLACE WHERE id > 5 VALUES (7, 'replaced'), (8, 'replaced');
SELECT id, name, shiftright(ROW__ID.bucketid, 16) & 4095 AS bucket FROM b ORDER BY id;

-- an overwrite has one file of each bucket with rows, an empty one a file without rows
--FILES b
INSERT OVERWRITE b SELECT id + 1, name FROM b;
EXPLAIN ACID INSERT INTO b VALUES (5, 'x'), (9, 'y');
--FILES b
TRUNCATE TABLE b;

-- partitions, and version 2, which new tables get
CREATE TABLE p (name VARCHAR(10), amount DECIMAL(6,2)) PARTITIONED BY (d INT) CLUSTERED BY (name, amount) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
SHOW TBLPROPERTIES p ('bucketing_version');
--FILES p
--ROWS p
INSERT INTO p VALUES ('Ada', 1.50, 1), ('Ada', 1.50, 2), ('Bob', 1.5, 1), ('Eve', NULL, 2), (NULL, NULL, 2);
UPDATE p SET d = 3, amount = amount + 1 WHERE name = 'Ada';
SELECT *, shiftright(ROW__ID.bucketid, 16) & 4095 AS bucket FROM p ORDER BY ALL;
--FILES q
CREATE TABLE q CLUSTERED BY (name) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT * FROM p;
SELECT * FROM q ORDER BY ALL;

-- errors
CREATE TABLE ts (at TIMESTAMP) CLUSTERED BY (at) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true', 'bucketing_version' = '1');
INSERT INTO ts VALUES (TIMESTAMP '2024-01-01 00:00:00');
CREATE TABLE bin (x BINARY) CLUSTERED BY (x) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO bin VALUES (X'00');
CREATE TABLE s (id INT) CLUSTERED BY (id) SORTED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
