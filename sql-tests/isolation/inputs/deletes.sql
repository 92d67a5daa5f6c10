-- A DELETE and an UPDATE, or two DELETEs, of the same rows: a row that is deleted stays so, and is counted once.

--SET spark.hiveacid.lock.pollMaxMs=100

CREATE TABLE t (id INT, n INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0);

-- the row is deleted while an update waits
--SESSION a
--HOLD locked
DELETE FROM t WHERE id = 1;
--SESSION b
UPDATE t SET n = n + 1 WHERE id <= 2;
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;

-- the row is deleted after the update took its snapshot
--SESSION a
--HOLD snapshot
UPDATE t SET n = n + 1 WHERE id IN (2, 3);
--SESSION b
DELETE FROM t WHERE id = 2;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- the row is updated while a delete waits: the new version is deleted, or is not, by its own values
--SESSION a
--HOLD commit
UPDATE t SET n = 7 WHERE id IN (3, 4);
--SESSION b
DELETE FROM t WHERE id = 3;
--SESSION c
DELETE FROM t WHERE id = 4 AND n = 0;
--CONTINUE a
--CONTINUE b,c
--SESSION main
SELECT * FROM t ORDER BY id;

-- two deletes
--SESSION a
--HOLD locked
DELETE FROM t WHERE id = 4;
--SESSION b
DELETE FROM t WHERE id IN (4, 5);
--CONTINUE a
--CONTINUE b
--SESSION a
--HOLD lock
DELETE FROM t WHERE id = 6;
--SESSION b
DELETE FROM t;
--CONTINUE a
--SESSION main
SELECT * FROM t;

-- rows that come in meanwhile stay
INSERT INTO t VALUES (7, 0);
--SESSION a
--HOLD locked
DELETE FROM t;
--SESSION b
INSERT INTO t VALUES (8, 0);
--CONTINUE a
--SESSION main
SELECT * FROM t;
