-- INSERT … REPLACE WHERE and other writers: as if one had come after the other.

--SET spark.hiveacid.lock.pollMaxMs=100
-- what keeps unlocked writers out at the commit would keep sessions waiting for one that is held there
--SET spark.hiveacid.lock.unlockedWriters=ignore

CREATE TABLE t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'one'), (2, 'two');

-- behind an INSERT of a row that matches the condition: it runs again, and replaces that one too
--SESSION a
--HOLD lock
INSERT INTO t REPLACE WHERE id = 1 VALUES (1, 'a');
--SESSION b
INSERT INTO t VALUES (1, 'b');
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id, v;

-- two of one condition: the rows of one of them are left
--SESSION a
--HOLD locked
INSERT INTO t REPLACE WHERE id = 1 VALUES (1, 'first'), (1, 'first too');
--SESSION b
INSERT INTO t REPLACE WHERE id = 1 VALUES (1, 'second');
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id, v;

-- an INSERT beside one that has its lock: it comes after
--SESSION a
--HOLD commit
INSERT INTO t REPLACE WHERE id = 1 VALUES (1, 'a');
--SESSION b
INSERT INTO t VALUES (1, 'b');
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id, v;

-- an UPDATE and a DELETE between its snapshot and its lock
--SESSION a
--HOLD lock
INSERT INTO t REPLACE WHERE v = 'new' VALUES (3, 'new');
--SESSION b
UPDATE t SET v = 'new' WHERE id = 2;
DELETE FROM t WHERE id = 1;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id, v;

-- other partitions are not waited for
CREATE TABLE p (id INT, v STRING) PARTITIONED BY (d INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO p VALUES (1, 'one', 0), (2, 'two', 1);
--SESSION a
--HOLD locked
INSERT INTO p REPLACE WHERE d = 0 VALUES (3, 'a', 0);
--SESSION b
INSERT INTO p REPLACE WHERE d = 1 VALUES (4, 'b', 1);
UPDATE p SET v = upper(v) WHERE d = 1;
--CONTINUE a
--SESSION main
SELECT * FROM p ORDER BY id;
