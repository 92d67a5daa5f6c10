-- Another client overwrites the table meanwhile: what was written before is gone, what is written behind it stays.

--SET spark.hiveacid.lock.pollMaxMs=100

CREATE TABLE t (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1), (2);
CALL other_client.overwrite('t', 3);
SELECT * FROM t ORDER BY id;

-- an insert that has its write ID before the overwrite commits behind it, and is not hidden by it
--SESSION a
--HOLD lock
INSERT INTO t VALUES (4);
--SESSION other
CALL other_client.overwrite('t', 5);
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- an insert that has its snapshot only, and one that reads the table it writes to
--SESSION a
--HOLD snapshot
INSERT INTO t VALUES (6);
--SESSION b
--HOLD lock
INSERT INTO t SELECT id * 10 FROM t;
--SESSION other
CALL other_client.overwrite('t', 7);
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;

-- a cache that is older than the table: statements that write do not read it
CACHE TABLE t;
CALL other_client.overwrite('t', 20, 21);
UPDATE t SET id = id + 1 WHERE id >= 20;
INSERT INTO t SELECT id * 10 FROM t;
SELECT * FROM t ORDER BY id;
UNCACHE TABLE t;

-- an update or delete must not bring rows back
CALL other_client.overwrite('t', 8, 9);
--SESSION a
--HOLD lock
UPDATE t SET id = id + 100;
--SESSION other
CALL other_client.overwrite('t', 9);
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;
--SESSION a
--HOLD lock
DELETE FROM t;
--SESSION other
CALL other_client.overwrite('t');
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;
