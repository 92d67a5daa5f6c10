-- An overwrite, or TRUNCATE, and other statements: as if one had come before the other, and nothing is lost in between.

--SET spark.hiveacid.lock.pollMaxMs=100

CREATE TABLE t (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1), (2);

-- an overwrite from the table itself, behind an insert that it has not seen
--SESSION a
--HOLD lock
INSERT OVERWRITE t SELECT id * 10 FROM t;
--SESSION b
INSERT INTO t VALUES (3);
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- an insert behind an overwrite: its write ID is smaller, its rows stay
--SESSION a
--HOLD lock
INSERT INTO t VALUES (4);
--SESSION b
INSERT OVERWRITE t VALUES (5);
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- the insert waits while the overwrite works
--SESSION a
--HOLD locked
INSERT OVERWRITE t VALUES (6);
--SESSION b
INSERT INTO t VALUES (7);
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;

-- an update and an overwrite: the update sees what the overwrite wrote, or is replaced with all the rest
--SESSION a
--HOLD lock
UPDATE t SET id = id + 100;
--SESSION b
INSERT OVERWRITE t VALUES (8);
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;
--SESSION a
--HOLD lock
INSERT OVERWRITE t VALUES (9);
--SESSION b
UPDATE t SET id = id + 100;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- two overwrites from the table itself
--SESSION a
--HOLD lock
INSERT OVERWRITE t SELECT id + 1 FROM t;
--SESSION b
INSERT OVERWRITE t SELECT id + 1 FROM t;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- TRUNCATE behind a delete, and a delete behind TRUNCATE
INSERT INTO t VALUES (12), (13);
--SESSION a
--HOLD lock
TRUNCATE TABLE t;
--SESSION b
DELETE FROM t WHERE id = 12;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;
INSERT INTO t VALUES (14), (15);
--SESSION a
--HOLD lock
DELETE FROM t WHERE id = 14;
--SESSION b
TRUNCATE TABLE t;
--CONTINUE a
--SESSION main
SELECT * FROM t ORDER BY id;

-- a reader holds its files; the overwrite waits for it
INSERT INTO t VALUES (16);
--SESSION a
--HOLD locked
SELECT id FROM t;
--SESSION b
INSERT OVERWRITE t VALUES (17);
--CONTINUE a
--CONTINUE b
--SESSION main
SELECT * FROM t ORDER BY id;
