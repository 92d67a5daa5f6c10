-- A table that is altered while others read and write it: they are waited for, or begin again, and no row is lost.

--SET spark.hiveacid.lock.pollMaxMs=100
-- what keeps unlocked writers out at the commit would keep sessions waiting for one that is held there
--SET spark.hiveacid.lock.unlockedWriters=ignore

CREATE TABLE t (id INT, n INT) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 0, 'a'), (2, 0, 'b'), (3, 0, 'c');

-- a partition is dropped behind the back of an update that would have changed its rows
--SESSION a
--HOLD lock
UPDATE t SET n = n + 1;
--SESSION b
ALTER TABLE t DROP PARTITION (p = 'a');
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- a partition is renamed: the update changes its rows under their new name
--SESSION a
--HOLD lock
UPDATE t SET n = n + 1;
--SESSION b
ALTER TABLE t PARTITION (p = 'b') RENAME TO PARTITION (p = 'd');
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- rows for a partition that is dropped meanwhile come to a new one
--SESSION a
--HOLD lock
INSERT INTO t VALUES (4, 0, 'c');
--SESSION b
ALTER TABLE t DROP PARTITION (p = 'c');
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- a reader and a writer are waited for; other partitions are not
INSERT INTO t VALUES (1, 0, 'a');
--SESSION a
--HOLD commit
UPDATE t SET n = n + 1 WHERE p = 'c';
--SESSION b
ALTER TABLE t ADD PARTITION (p = 'e');
ALTER TABLE t DROP PARTITION (p = 'a');
--SESSION main
SHOW PARTITIONS t;
--SESSION b
ALTER TABLE t DROP PARTITION (p = 'c');
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;
--SESSION a
--HOLD locked
SELECT id FROM t;
--SESSION b
ALTER TABLE t DROP PARTITION (p = 'd');
--CONTINUE a
--CONTINUE b
--SESSION main
SHOW PARTITIONS t;

-- a new column: a statement that does not know of it ends with a named error, and one that is at work is waited for
INSERT INTO t VALUES (5, 0, 'e');
--SESSION a
--HOLD lock
UPDATE t SET n = n + 1;
--SESSION b
ALTER TABLE t ADD COLUMNS (more INT);
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;
--SESSION a
--HOLD commit
UPDATE t SET n = n + 1;
--SESSION b
ALTER TABLE t ADD COLUMNS (last INT);
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;

-- a property is set while somebody writes
--SESSION a
--HOLD commit
UPDATE t SET n = n + 1;
--SESSION b
ALTER TABLE t SET TBLPROPERTIES ('note' = 'x');
--CONTINUE a
--SESSION main
SELECT n FROM t ORDER BY id;

-- the table is dropped
--SESSION a
--HOLD commit
INSERT INTO t (id, p) VALUES (6, 'e');
--SESSION b
DROP TABLE t;
--CONTINUE a
--CONTINUE b
--SESSION main
SHOW TABLES;
CREATE TABLE t (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1);
--SESSION a
--HOLD lock
INSERT INTO t VALUES (2);
--SESSION b
DROP TABLE t;
--CONTINUE a
--SESSION main
CREATE TABLE t (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (3);
SELECT * FROM t;

-- several partitions are dropped at once, and another one of them comes to be before the lock: its writer is waited for
CREATE TABLE u (id INT) PARTITIONED BY (p STRING, q INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO u VALUES (1, 'a', 1), (2, 'b', 1);
--SESSION a
--HOLD lock
ALTER TABLE u DROP PARTITION (p = 'a');
--SESSION b
--HOLD commit
INSERT INTO u VALUES (3, 'a', 2);
--CONTINUE a
--CONTINUE b
--CONTINUE a
--SESSION main
SELECT * FROM u;
SHOW PARTITIONS u;
