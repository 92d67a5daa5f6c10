-- INSERT, UPDATE and DELETE on a partitioned table: only the partitions that change get folders.

CREATE TABLE p (id INT, name STRING) PARTITIONED BY (d DATE, Region STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

-- dynamic
--FILES p
--ROWS p
INSERT INTO p VALUES (1, 'one', DATE '2024-01-01', 'eu'), (2, 'two', DATE '2024-01-02', 'us'), (3, 'three', DATE '2024-01-01', 'eu');
SHOW PARTITIONS p;
SELECT * FROM p ORDER BY id;

-- static, mixed, column list, by name
--FILES p
INSERT INTO p PARTITION (d = '2024-01-01', Region = 'eu') VALUES (4, 'four');
INSERT INTO p PARTITION (d = '2024-01-03', Region) VALUES (5, 'five', 'eu'), (6, 'six', 'as');
INSERT INTO p (region, id, d) VALUES ('us', 7, DATE '2024-01-02');
INSERT INTO p BY NAME SELECT DATE '2024-01-02' AS d, 8 AS id, 'us' AS region, 'eight' AS name;
SELECT * FROM p ORDER BY id;

-- NULL, empty, blank, values that look like paths, and unicode
INSERT INTO p VALUES (10, 'null', NULL, NULL), (11, 'empty', NULL, ''), (12, 'blank', NULL, ' '), (13, 'path', NULL, 'a/b=c%2Fd'), (14, 'unicode', NULL, 'Ünïcödé 数'), (15, 'quote', NULL, 'it''s'), (16, 'default', NULL, 'x.y_z-1');
SHOW PARTITIONS p;
SELECT id, name, region FROM p WHERE d IS NULL ORDER BY id;
SELECT id FROM p WHERE region = 'a/b=c%2Fd';

-- DELETE: by the partition, by a column, by both, by a subquery on itself
--FILES p
DELETE FROM p WHERE d = DATE '2024-01-01' AND id > 1;
DELETE FROM p WHERE id IN (2, 5, 13);
DELETE FROM p WHERE d IS NULL AND region > 'Z';
SELECT * FROM p ORDER BY id;
DELETE FROM p WHERE d = (SELECT max(d) FROM p);
DELETE FROM p WHERE region = 'nowhere';
SELECT * FROM p ORDER BY id;

-- UPDATE: the partition columns can be read
--FILES p
UPDATE p SET name = concat(name, '@', coalesce(region, 'none')) WHERE id IN (1, 8, 10);
SELECT * FROM p ORDER BY id;
-- and assigned: the row moves; one of whose partition nothing changes stays where it is
UPDATE p SET region = 'eu', name = 'moved' WHERE id IN (1, 7);
UPDATE p SET d = NULL, name = 'x' WHERE id = 1;
SELECT * FROM p ORDER BY id;
UPDATE p SET id = id + 100 WHERE d >= DATE '2024-01-02';
SELECT ROW__ID.writeid, ROW__ID.bucketid, * FROM p ORDER BY id;

-- the same row ID in two partitions is two rows
CREATE TABLE q (id INT) PARTITIONED BY (k INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO q VALUES (1, 1), (1, 2), (1, 3);
SELECT DISTINCT ROW__ID FROM q;
DELETE FROM q WHERE k = 2;
UPDATE q SET id = 5 WHERE k = 3;
SELECT * FROM q ORDER BY k;
INSERT INTO q SELECT id + 1, k FROM q;
DELETE FROM q WHERE (id, k) IN (SELECT id, k FROM q WHERE id > 5);
SELECT * FROM q ORDER BY k, id;

-- from a partitioned table into another, and errors
INSERT INTO q SELECT id, 9 FROM p;
SELECT k, count(*) FROM q GROUP BY k ORDER BY k;
INSERT INTO q PARTITION (nosuch = 1) VALUES (1);
INSERT INTO q VALUES (1);
INSERT INTO q VALUES (1, 'text');
DELETE FROM q;
SELECT count(*) FROM q;
SHOW PARTITIONS q;

-- numbers and clocks are named as Hive names them, however they are written
CREATE TABLE r (id INT) PARTITIONED BY (at TIMESTAMP, price DECIMAL(10,2), c CHAR(3)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO r VALUES (1, TIMESTAMP '2024-01-01 00:00:00', 1.50, 'a');
INSERT INTO r PARTITION (at = '2024-01-01', price = '1.5', c = 'a') VALUES (2);
ALTER TABLE r ADD PARTITION (at = '2024-01-02 10:00:00.500', price = 2, c = 'bcd');
SHOW PARTITIONS r;
UPDATE r SET price = 2, at = at + INTERVAL '1' DAY WHERE id = 1;
INSERT OVERWRITE r PARTITION (at = '2024-01-01 00:00:00.0', price = 1.500, c = 'a') SELECT id + 10 FROM r WHERE id = 2;
TRUNCATE TABLE r PARTITION (price = 2.0);
SELECT * FROM r;
ALTER TABLE r DROP PARTITION (price = 2.00);
SHOW PARTITIONS r;
INSERT INTO r VALUES (1, NULL, NULL, 'abcd');
INSERT INTO r VALUES (1, NULL, 123456789.00, NULL);

-- a folder that Hive would not see
CREATE TABLE hidden (id INT) PARTITIONED BY (_k INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
