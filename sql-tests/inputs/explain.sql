-- EXPLAIN shows the plan and does nothing: the write IDs of the statements around it follow each other.
--SET spark.sql.shuffle.partitions=2

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 'one'), (2, 'two');

EXPLAIN SELECT name FROM t WHERE id = 1;

EXPLAIN SELECT ROW__ID, name FROM t WHERE id = 1;

EXPLAIN DELETE FROM t WHERE id = 1;

EXPLAIN DELETE FROM t AS x WHERE id IN (SELECT id FROM t WHERE name = 'two');

EXPLAIN DELETE FROM t;

EXPLAIN UPDATE t SET name = upper(name) WHERE id = 1;

-- a partitioned target: the partitions and the rows that are looked for, and the join

CREATE TABLE p (id INT, name STRING) PARTITIONED BY (day STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

EXPLAIN DELETE FROM p WHERE day = 'mon' AND id > 7;

EXPLAIN MERGE INTO p USING (SELECT id FROM t WHERE name = 'one') s ON p.id = s.id AND p.day = 'tue'
WHEN MATCHED THEN UPDATE SET name = 'x' WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'new', 'tue');

EXPLAIN INSERT OVERWRITE p PARTITION (day = 'wed') SELECT id, name FROM t;

EXPLAIN INSERT INTO t REPLACE WHERE id = 1 SELECT * FROM t WHERE id = 1;

-- inserts

EXPLAIN INSERT INTO t SELECT id + 1, name FROM t;

EXPLAIN INSERT INTO t (name) VALUES ('three');

--FILES t
DELETE FROM t WHERE id = 2;

SELECT * FROM t;
