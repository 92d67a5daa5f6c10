-- EXPLAIN shows the plan and does nothing: the write IDs of the statements around it follow each other.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 'one'), (2, 'two');

EXPLAIN SELECT name FROM t WHERE id = 1;

EXPLAIN SELECT ROW__ID, name FROM t WHERE id = 1;

EXPLAIN DELETE FROM t WHERE id = 1;

EXPLAIN DELETE FROM t AS x WHERE id IN (SELECT id FROM t WHERE name = 'two');

EXPLAIN DELETE FROM t;

EXPLAIN INSERT INTO t SELECT id + 1, name FROM t;

EXPLAIN INSERT INTO t (name) VALUES ('three');

--FILES t
DELETE FROM t WHERE id = 2;

SELECT * FROM t;
