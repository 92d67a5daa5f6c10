-- SHOW LOCKS and SHOW TRANSACTIONS while statements of others are at work.

--SET spark.hiveacid.lock.pollMaxMs=100
-- what keeps unlocked writers out at the commit would keep sessions waiting for one that is held there
--SET spark.hiveacid.lock.unlockedWriters=ignore

CREATE TABLE t (id INT, n INT) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 0, 'a'), (2, 0, 'b');
SHOW LOCKS t;

-- a writer of a partition, one of all partitions who waits for it, and a reader
--SESSION a
--HOLD commit
UPDATE t SET n = n + 1 WHERE p = 'a';
--SESSION b
DELETE FROM t;
--SESSION c
--HOLD locked
SELECT * FROM t;
--SESSION main
SHOW LOCKS t;
SHOW LOCKS t PARTITION (p = 'a') EXTENDED;
SHOW LOCKS t PARTITION (p = 'b');
SHOW TRANSACTIONS;
--CONTINUE a
--CONTINUE b
--CONTINUE c
--SESSION main
-- waits until the reader, too, has let go, which it does in its own time
ALTER TABLE t ADD COLUMNS (m INT);
SHOW LOCKS t;
