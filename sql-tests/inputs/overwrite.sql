-- INSERT OVERWRITE and TRUNCATE replace what they name in one transaction: the rows of before are gone, or all still there.

--SET spark.sql.shuffle.partitions=2

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 'a'), (2, 'b');

--FILES t
INSERT OVERWRITE t VALUES (3, 'c');

SELECT * FROM t;

-- from itself, by name, from a common table expression

INSERT OVERWRITE TABLE t SELECT id + 1, name FROM t;

SELECT * FROM t;

INSERT OVERWRITE t (name, id) VALUES ('d', 5), ('e', 6);

INSERT OVERWRITE TABLE t BY NAME SELECT 'f' AS name, 7 AS id;

WITH more AS (SELECT * FROM t UNION ALL SELECT * FROM t) INSERT OVERWRITE t SELECT id + 1, name FROM more;

SELECT *, ROW__ID.rowid FROM t ORDER BY 3;

-- afterwards it is a table as any other

UPDATE t SET name = 'g' WHERE ROW__ID.rowid = 0;

DELETE FROM t WHERE name = 'f';

INSERT INTO t VALUES (9, 'h');

SELECT * FROM t ORDER BY id;

-- by nothing

--FILES t
INSERT OVERWRITE t SELECT * FROM t WHERE false;

SELECT * FROM t;

INSERT INTO t VALUES (1, 'a');

TRUNCATE TABLE t;

SELECT count(*) FROM t;

INSERT INTO t VALUES (1, 'a');

SELECT * FROM t;

-- what fails changes nothing

INSERT OVERWRITE t SELECT 1;

INSERT OVERWRITE t SELECT raise_error('on purpose'), 'x';

INSERT OVERWRITE t VALUES ('x', 'y');

SELECT * FROM t;

-- partitions: those with new rows, unless the setting asks for more

CREATE TABLE p (id INT) PARTITIONED BY (d INT, e STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO p VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'x');

INSERT OVERWRITE p VALUES (4, 1, 'x');

SELECT * FROM p ORDER BY id;

INSERT OVERWRITE p PARTITION (d = '01', e) SELECT 5, 'z';

SELECT * FROM p ORDER BY id;

INSERT OVERWRITE p PARTITION (e = 'x', d = 2) SELECT 6;

SELECT * FROM p ORDER BY id;

INSERT OVERWRITE p SELECT * FROM p WHERE false;

SELECT * FROM p ORDER BY id;

-- a partition that is named in full is replaced by nothing too, and made if it is not there

INSERT OVERWRITE p PARTITION (d = 2, e = 'x') SELECT 1 WHERE false;

INSERT OVERWRITE p PARTITION (d = NULL, e = 'new') SELECT 1 WHERE false;

SELECT * FROM p ORDER BY id;

SHOW PARTITIONS p;

INSERT OVERWRITE p PARTITION (d = 2, e = 'x') IF NOT EXISTS SELECT 7;

INSERT OVERWRITE p PARTITION (d = 3, e = 'x') IF NOT EXISTS SELECT 7;

SELECT * FROM p ORDER BY id;

-- the other mode

SET spark.sql.sources.partitionOverwriteMode=static;

INSERT OVERWRITE p PARTITION (d = 1, e) SELECT 8, 'x';

SELECT * FROM p ORDER BY id;

INSERT OVERWRITE p SELECT id + 1, d, e FROM p WHERE d = 1;

SELECT * FROM p ORDER BY id;

SET spark.sql.sources.partitionOverwriteMode=dynamic;

INSERT OVERWRITE p SELECT id + 1, 5, 'five' FROM p;

SELECT * FROM p ORDER BY id;

-- TRUNCATE of partitions

TRUNCATE TABLE p PARTITION (d = 5);

SELECT * FROM p ORDER BY id;

TRUNCATE TABLE p PARTITION (d = 1, E = 'x');

SELECT * FROM p ORDER BY id;

INSERT INTO p VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'x');

TRUNCATE TABLE p PARTITION (e = 'x');

SELECT * FROM p ORDER BY id;

TRUNCATE TABLE p;

SELECT * FROM p ORDER BY id;

TRUNCATE TABLE p PARTITION (d = 9);

TRUNCATE TABLE p PARTITION (d = 9, e = 'x');

TRUNCATE TABLE p PARTITION (nope = 1);

TRUNCATE TABLE t PARTITION (d = 1);

TRUNCATE TABLE nowhere;

EXPLAIN TRUNCATE TABLE t;
