-- INSERT … REPLACE USING and REPLACE ON: the rows that a new one matches go, and all new ones come.

CREATE TABLE t (id INT, name STRING, price DECIMAL(6,2)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'one', 1.10), (1, 'one too', 1.11), (2, 'two', 2.20), (NULL, 'null', 0.00);
CREATE TEMP VIEW s AS SELECT * FROM VALUES (1, 'a', 1.555), (1, 'b', 2.5), (9, 'c', 3.5), (NULL, 'd', 4.5) AS s(id, name, price);

SELECT * FROM t ORDER BY id, name;

SELECT * FROM t ORDER BY id, name;

-- a condition, in which NULL may be equal to NULL; the target's alias, the query's, or none
INSERT INTO t AS x REPLACE ON x.id <=> s.id (SELECT * FROM s WHERE id IS NULL) AS s;
INSERT INTO t REPLACE ON t.id = n.key AND t.price > 2 (SELECT 1 AS key, 'on' AS name, 7 AS price) AS n;
INSERT INTO t AS x REPLACE ON x.price BETWEEN s.price - 1 AND s.price + 1 SELECT s.id, 'near', s.price FROM s WHERE id = 9;
SELECT * FROM t ORDER BY id, name;

SELECT * FROM t ORDER BY id, name;

-- partitions, and columns named like those of the rewriting
CREATE TABLE p (`__asks` INT, `__e0` STRING) PARTITIONED BY (d INT, k STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO p VALUES (1, 'a', 0, 'x'), (2, 'b', 1, 'x'), (3, 'c', 1, 'y'), (4, 'd', 0, NULL);
INSERT INTO p AS x REPLACE ON x.`__e0` = s.`__e0` (SELECT `__asks` + 1 AS `__asks`, `__e0`, d + 1, k FROM p WHERE `__asks` = 3) AS s;
SELECT * FROM p ORDER BY `__asks`;

-- what is refused by name
INSERT INTO t AS x REPLACE ON x.id IN (SELECT 1) SELECT * FROM s;
INSERT INTO t AS x REPLACE ON x.id = s.id AND rand() < 2 SELECT * FROM s;
INSERT INTO t AS x REPLACE ON x.ROW__ID.rowid = s.id SELECT * FROM s;
INSERT INTO t REPLACE USING (ROW__ID) SELECT * FROM s;
INSERT WITH SCHEMA EVOLUTION INTO t REPLACE USING (id) SELECT 1, 'one', 1, 'more';
CREATE TABLE i (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only');
INSERT INTO i REPLACE USING (id) VALUES (1);

-- errors of Spark's own
INSERT INTO t AS x REPLACE ON x.id = y.id SELECT * FROM s;
INSERT INTO t AS x REPLACE ON x.name SELECT * FROM s;
INSERT INTO t REPLACE USING (id) SELECT 1, 'one';
CREATE TABLE plain (id INT) STORED AS ORC;
INSERT INTO plain REPLACE USING (id) VALUES (1);
SELECT * FROM t ORDER BY id, name;
