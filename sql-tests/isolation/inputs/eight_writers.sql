-- Eight writers at once: all of them end, and nothing is lost.

--SET spark.hiveacid.lock.pollMaxMs=100

CREATE TABLE t (id INT, n INT) PARTITIONED BY (p INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t SELECT int(id), 0, int(id % 8) + 1 FROM range(16);

-- each in a partition of its own: all have their locks at the same time
--SESSION w1
--HOLD locked
UPDATE t SET n = n + 1 WHERE p = 1;
--SESSION w2
--HOLD locked
UPDATE t SET n = n + 2 WHERE p = 2;
--SESSION w3
--HOLD locked
UPDATE t SET n = n + 3 WHERE p = 3;
--SESSION w4
--HOLD locked
UPDATE t SET n = n + 4 WHERE p = 4;
--SESSION w5
--HOLD locked
UPDATE t SET n = n + 5 WHERE p = 5;
--SESSION w6
--HOLD locked
UPDATE t SET n = n + 6 WHERE p = 6;
--SESSION w7
--HOLD locked
UPDATE t SET n = n + 7 WHERE p = 7;
--SESSION w8
--HOLD locked
UPDATE t SET n = n + 8 WHERE p = 8;
--CONTINUE w1,w2,w3,w4,w5,w6,w7,w8
--SESSION main
SELECT p, count(*), sum(n) FROM t GROUP BY p ORDER BY p;

-- all in one partition: one has its lock, the others wait
--SESSION w1
--HOLD locked
UPDATE t SET n = n + 10 WHERE p = 1;
--SESSION w2
UPDATE t SET n = n + 100 WHERE p = 1;
--SESSION w3
UPDATE t SET n = n + 1000 WHERE p = 1;
--SESSION w4
UPDATE t SET n = n + 10000 WHERE p = 1;
--SESSION w5
UPDATE t SET n = n + 100000 WHERE p = 1;
--SESSION w6
UPDATE t SET n = n + 1000000 WHERE p = 1;
--SESSION w7
UPDATE t SET n = n + 10000000 WHERE p = 1;
--SESSION w8
UPDATE t SET n = n + 100000000 WHERE p = 1;
--CONTINUE w1,w2,w3,w4,w5,w6,w7,w8
--SESSION main
SELECT p, count(*), sum(n) FROM t GROUP BY p ORDER BY p;

-- all in one partition, and all have their snapshots before any has its lock
--SESSION w1
--HOLD lock
UPDATE t SET n = n + 10 WHERE p = 2;
--SESSION w2
--HOLD lock
UPDATE t SET n = n + 100 WHERE p = 2;
--SESSION w3
--HOLD lock
UPDATE t SET n = n + 1000 WHERE p = 2;
--SESSION w4
--HOLD lock
UPDATE t SET n = n + 10000 WHERE p = 2;
--SESSION w5
--HOLD lock
UPDATE t SET n = n + 100000 WHERE p = 2;
--SESSION w6
--HOLD lock
UPDATE t SET n = n + 1000000 WHERE p = 2;
--SESSION w7
--HOLD lock
UPDATE t SET n = n + 10000000 WHERE p = 2;
--SESSION w8
--HOLD lock
UPDATE t SET n = n + 100000000 WHERE p = 2;
--CONTINUE w1,w2,w3,w4,w5,w6,w7,w8
--SESSION main
SELECT p, count(*), sum(n) FROM t GROUP BY p ORDER BY p;
