-- Two UPDATEs of one table: none is lost, whichever has its snapshot or its lock first.

--SET spark.hiveacid.lock.pollMaxMs=100
-- what keeps unlocked writers out at the commit would keep sessions waiting for one that is held there
--SET spark.hiveacid.lock.unlockedWriters=ignore

CREATE TABLE t (id INT, n INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 0), (2, 0);

-- the same row: the second waits for the lock of the first, and then sees what that has written
--SESSION a
--HOLD locked
UPDATE t SET n = n + 1 WHERE id = 1;
--SESSION b
UPDATE t SET n = n + 10 WHERE id = 1;
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;

-- until the first has committed, nothing of it is to be seen
--SESSION a
--HOLD commit
UPDATE t SET n = n + 100 WHERE id = 1;
--SESSION b
UPDATE t SET n = n * 2 WHERE id = 1;
--SESSION main
SELECT * FROM t ORDER BY id;
--CONTINUE a,b
--SESSION main
SELECT * FROM t ORDER BY id;

-- the first has its snapshot, the second overtakes it and commits
--SESSION a
--HOLD snapshot
UPDATE t SET n = n + 1000 WHERE id = 1;
--SESSION b
UPDATE t SET n = 0 WHERE id = 1;
--CONTINUE a
--SESSION a
--HOLD lock
UPDATE t SET n = n + 1 WHERE id = 1;
--SESSION b
UPDATE t SET n = n * 2 WHERE id = 1;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- what a condition says of a row is asked of the row as the other has left it
--SESSION a
--HOLD locked
UPDATE t SET n = -1 WHERE id = 1;
--SESSION b
UPDATE t SET n = 5 WHERE n > 0;
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;

-- other rows of the table
--SESSION a
--HOLD commit
UPDATE t SET n = 1 WHERE id = 1;
--SESSION b
UPDATE t SET n = 2 WHERE id = 2;
--CONTINUE a,b
--SESSION main
SELECT * FROM t ORDER BY id;

-- three that wait in a row
--SESSION a
--HOLD locked
UPDATE t SET n = n + 10 WHERE id = 1;
--SESSION b
UPDATE t SET n = n + 100 WHERE id = 1;
--SESSION c
UPDATE t SET n = n + 1000 WHERE id = 1;
--CONTINUE a,b,c
--SESSION main
SELECT * FROM t ORDER BY id;
