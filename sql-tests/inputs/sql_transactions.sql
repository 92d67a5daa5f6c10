-- START TRANSACTION; …; COMMIT | ROLLBACK

CREATE TABLE t (id INT, v INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE other (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 10), (2, 20);

-- statements see what those before them wrote, and are committed together

START TRANSACTION;

INSERT INTO t VALUES (3, 30);

UPDATE t SET v = v + 1 WHERE id < 3;

INSERT INTO other SELECT id FROM t WHERE v > 20;

SELECT * FROM t;

--SESSION reader
SELECT * FROM t;

--SESSION main
COMMIT;

--SESSION reader
SELECT * FROM t;

SELECT * FROM other;

--SESSION main
-- a rollback leaves nothing

BEGIN;

DELETE FROM t;

MERGE INTO other USING (SELECT 7 AS id) s ON other.id = s.id WHEN NOT MATCHED THEN INSERT *;

SELECT count(*) FROM t;

ROLLBACK;

--SESSION reader
SELECT * FROM t;

--FILES other
SELECT * FROM other;

--SESSION main

-- other spellings

BEGIN WORK;

COMMIT WORK;

begin transaction;

rollback transaction;

EXPLAIN START TRANSACTION;

-- a transaction without a statement, and one that only reads

START TRANSACTION;

COMMIT;

START TRANSACTION;

SELECT count(*) FROM t;

ROLLBACK;

-- no transaction to end, and one within another

COMMIT;

ROLLBACK;

START TRANSACTION;

INSERT INTO other VALUES (8);

START TRANSACTION;

COMMIT;

SELECT * FROM other;

-- a statement that fails before it writes leaves the transaction as it was

START TRANSACTION;

INSERT INTO other VALUES (9);

INSERT INTO other SELECT nothing FROM t;

SELECT raise_error('no row') FROM t;

SELECT count(*) FROM other;

ROLLBACK;

-- one that fails as it writes ends all that follows

SET spark.hiveacid.guard.maxRows = 0;

START TRANSACTION;

INSERT INTO other VALUES (9);

DELETE FROM t;

SELECT count(*) FROM other;

INSERT INTO other VALUES (10);

COMMIT;

SELECT * FROM other;

START TRANSACTION;

DELETE FROM t;

ROLLBACK;

RESET spark.hiveacid.guard.maxRows;

-- what is no part of it

CREATE TABLE plain (id INT) USING parquet;

START TRANSACTION;

INSERT INTO plain VALUES (1);

CREATE TABLE made (id INT) USING parquet;

CREATE VIEW seen AS SELECT 1 AS one;

DROP TABLE plain;

CREATE TABLE acid (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

ALTER TABLE t ADD COLUMNS (w INT);

ALTER TABLE t COMPACT 'major';

CREATE TEMPORARY VIEW passing AS SELECT id FROM t;

SELECT count(*) FROM passing;

SET spark.hiveacid.transaction.admitOthers=true;

INSERT INTO plain VALUES (1);

RESET spark.hiveacid.transaction.admitOthers;

INSERT INTO t SELECT id + 100, 0 FROM plain;

ROLLBACK;

SELECT * FROM plain;

SELECT count(*) FROM t;

-- what is not there

START TRANSACTION READ ONLY;

COMMIT AND CHAIN;

ROLLBACK TO a;

END;

--QUERY-DELIMITER-START
BEGIN TRANSACTION; COMMIT;
--QUERY-DELIMITER-END
