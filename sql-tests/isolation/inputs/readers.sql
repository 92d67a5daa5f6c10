-- A reader sees what was committed when its snapshot was taken, all of it and nothing else, and nobody waits for it.

--SET spark.hiveacid.lock.pollMaxMs=100
-- what keeps unlocked writers out at the commit would keep sessions waiting for one that is held there
--SET spark.hiveacid.lock.unlockedWriters=ignore

CREATE TABLE t (id INT, n INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE u (id INT) PARTITIONED BY (p INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t SELECT int(id), 0 FROM range(100);
INSERT INTO u SELECT int(id), int(id % 3) FROM range(30);

-- while a writer is at work, before and after its files are in place
--SESSION w
--HOLD locked
UPDATE t SET n = 1;
--SESSION r
SELECT count(*), sum(n) FROM t;
--CONTINUE w
--SESSION r
SELECT count(*), sum(n) FROM t;
--SESSION w
--HOLD commit
DELETE FROM t WHERE id < 40;
--SESSION r
SELECT count(*), sum(n) FROM t;
--CONTINUE w
--SESSION r
SELECT count(*), sum(n) FROM t;
--SESSION w
--HOLD commit
INSERT INTO u SELECT id, p + 1 FROM u;
--SESSION r
SELECT p, count(*) FROM u GROUP BY p ORDER BY p;
--CONTINUE w
--SESSION r
SELECT p, count(*) FROM u GROUP BY p ORDER BY p;

-- the snapshot is taken under the lock: what is committed before is seen, all of it
--SESSION r
--HOLD lock
SELECT * FROM t WHERE id >= 98;
--SESSION w
UPDATE t SET n = n + 1;
INSERT INTO t VALUES (1000, 1000);
DELETE FROM t WHERE id < 90;
SELECT count(*), sum(n) FROM t;
--CONTINUE r
--SESSION r
SELECT * FROM t WHERE id >= 98;

-- a statement that reads other tables keeps one snapshot for all of them
--SESSION r
--HOLD snapshot
INSERT INTO u SELECT id, 100 FROM t;
--SESSION w
DELETE FROM t;
--CONTINUE r
--SESSION r
SELECT count(*) FROM u WHERE p = 100;
SELECT count(*) FROM t;
