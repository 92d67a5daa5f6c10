-- Writers of one partitioned table: those of the same partition wait for each other, those of others do not.

--SET spark.hiveacid.lock.pollMaxMs=100
-- what keeps unlocked writers out at the commit would keep sessions waiting for one that is held there
--SET spark.hiveacid.lock.unlockedWriters=ignore

CREATE TABLE t (id INT, n INT) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 0, 'a'), (2, 0, 'a'), (3, 0, 'b');

-- the same partition
--SESSION a
--HOLD locked
UPDATE t SET n = n + 1 WHERE p = 'a';
--SESSION b
UPDATE t SET n = n + 10 WHERE p = 'a' AND id = 1;
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;

-- another partition
--SESSION a
--HOLD commit
UPDATE t SET n = n + 1 WHERE p = 'a';
--SESSION b
UPDATE t SET n = n + 10 WHERE p = 'b';
--SESSION c
DELETE FROM t WHERE p = 'a' AND id = 2;
--CONTINUE a
--CONTINUE c
--SESSION main
SELECT * FROM t ORDER BY id;

-- another partition, although both have their snapshots before either has a lock
--SESSION a
--HOLD snapshot
UPDATE t SET n = n * 2 WHERE p = 'a';
--SESSION b
--HOLD snapshot
UPDATE t SET n = n * 3 WHERE p = 'b';
--CONTINUE a,b
--SESSION main
SELECT * FROM t ORDER BY id;

-- inserts into partitions, old and new, wait for nobody
--SESSION a
--HOLD commit
UPDATE t SET n = 100 WHERE p = 'a';
--SESSION b
INSERT INTO t VALUES (4, 4, 'a'), (5, 5, 'new');
--SESSION main
SELECT * FROM t ORDER BY id;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;
