-- MERGE and other writers: as if one had come after the other, and no key comes twice.

--SET spark.hiveacid.lock.pollMaxMs=100
-- what keeps unlocked writers out at the commit would keep sessions waiting for one that is held there
--SET spark.hiveacid.lock.unlockedWriters=ignore

CREATE TABLE t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'one');

-- two MERGEs with the same new key: the second finds the first one's row
--SESSION a
--HOLD lock
MERGE INTO t USING (SELECT 2 AS id, 'a' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v || s.v WHEN NOT MATCHED THEN INSERT *;
--SESSION b
MERGE INTO t USING (SELECT 2 AS id, 'b' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v || s.v WHEN NOT MATCHED THEN INSERT *;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- the same where one waits for the other's lock, and both only insert
--SESSION a
--HOLD locked
MERGE INTO t USING (SELECT 3 AS id, 'a' AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *;
--SESSION b
MERGE INTO t USING (SELECT 3 AS id, 'b' AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *;
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;

-- behind an INSERT of its key
--SESSION a
--HOLD lock
MERGE INTO t USING (SELECT 4 AS id, 'a' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v || s.v WHEN NOT MATCHED THEN INSERT *;
--SESSION b
INSERT INTO t VALUES (4, 'b');
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- an INSERT beside a MERGE that has its lock: it reads nothing, so it may come after
--SESSION a
--HOLD commit
MERGE INTO t USING (SELECT 5 AS id, 'a' AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *;
--SESSION b
INSERT INTO t VALUES (6, 'b');
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- an UPDATE and a DELETE between its snapshot and its lock
--SESSION a
--HOLD lock
MERGE INTO t USING (SELECT 1 AS id UNION ALL SELECT 2) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = upper(v) WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'again');
--SESSION b
UPDATE t SET v = 'updated' WHERE id = 1;
DELETE FROM t WHERE id = 2;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- a DELETE behind it
--SESSION a
--HOLD lock
DELETE FROM t WHERE v = 'NEW';
--SESSION b
MERGE INTO t USING (SELECT 7 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'NEW') WHEN NOT MATCHED BY SOURCE AND t.id = 6 THEN UPDATE SET v = 'NEW';
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- an overwrite from another client, and one that waits
--SESSION a
--HOLD lock
MERGE INTO t USING (SELECT 1 AS id, 'a' AS v) s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *;
--SESSION b
INSERT OVERWRITE t VALUES (1, 'base');
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- rows that move to a partition that another MERGE names by its condition
CREATE TABLE p (id INT, v STRING) PARTITIONED BY (d INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO p VALUES (1, 'one', 0), (2, 'two', 1);
--SESSION a
--HOLD lock
MERGE INTO p USING (SELECT 1 AS id) s ON p.id = s.id WHEN MATCHED THEN UPDATE SET d = 1;
--SESSION b
MERGE INTO p USING (SELECT 2 AS id) s ON p.d = 1 AND p.id = s.id WHEN MATCHED THEN UPDATE SET v = 'b' WHEN NOT MATCHED BY SOURCE AND p.d = 1 THEN DELETE;
--CONTINUE a
--SESSION main
SELECT * FROM p ORDER BY id;
