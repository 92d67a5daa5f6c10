-- EXPLAIN shows the plan and opens no transaction: the write IDs of the statements around it are next to each other.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 'one'), (2, 'two');

EXPLAIN SELECT name FROM t WHERE id = 1;

EXPLAIN EXTENDED SELECT ROW__ID, name FROM t WHERE id = 1;

EXPLAIN DELETE FROM t WHERE id = 1;

EXPLAIN FORMATTED DELETE FROM t WHERE id IN (SELECT id FROM t WHERE name = 'two');

EXPLAIN INSERT INTO t SELECT id + 1, name FROM t;

EXPLAIN DELETE FROM t WHERE unknown = 1;

EXPLAIN UPDATE t SET name = 'x';

--FILES t
DELETE FROM t WHERE id = 2;

SELECT * FROM t;
