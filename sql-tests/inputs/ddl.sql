-- Statements that alter a table are Spark's own, run under the locks that Hive takes for them.

CREATE TABLE p (id INT, name STRING) PARTITIONED BY (d STRING, h INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO p VALUES (1, 'one', 'a', 1), (2, 'two', 'a', 2), (3, 'three', 'b', 1), (4, 'four', 'X y', 1);

-- new partitions, also where rows come to them later

ALTER TABLE p ADD PARTITION (d = 'c', h = 1) PARTITION (d = 'c', h = '02');

ALTER TABLE p ADD PARTITION (d = 'c', h = 1);

ALTER TABLE p ADD IF NOT EXISTS PARTITION (d = 'c', h = 1) PARTITION (D = 'q', H = 7);

ALTER TABLE p ADD PARTITION (d = 'c');

ALTER TABLE p ADD PARTITION (d = 'c', h = 1, x = 2);

SHOW PARTITIONS p;

INSERT INTO p VALUES (5, 'five', 'c', 2), (6, 'six', 'q', 7);

DELETE FROM p WHERE id = 6;

SELECT * FROM p;

-- one partition, several, and those of a prefix

ALTER TABLE p DROP PARTITION (d = 'a', h = 1);

ALTER TABLE p DROP PARTITION (d = 'a', h = 1);

ALTER TABLE p DROP IF EXISTS PARTITION (d = 'a', h = 1);

ALTER TABLE p DROP PARTITION (d = 'X y', h = 1), PARTITION (d = 'q', h = 7);

ALTER TABLE p DROP PARTITION (d = 'c');

SHOW PARTITIONS p;

SELECT * FROM p;

-- rows that come to a dropped partition are the only ones there

--FILES p
INSERT INTO p VALUES (7, 'seven', 'a', 1);

SELECT * FROM p;

-- a new name keeps rows, row IDs and what is deleted

INSERT INTO p VALUES (8, 'eight', 'b', 1);

DELETE FROM p WHERE id = 3;

SELECT id, ROW__ID.writeid AS w, ROW__ID.rowid AS r FROM p WHERE d = 'b';

ALTER TABLE p PARTITION (d = 'b', h = 1) RENAME TO PARTITION (d = 'New', h = 1);

SELECT id, d, h, ROW__ID.writeid AS w, ROW__ID.rowid AS r FROM p WHERE d = 'New';

ALTER TABLE p PARTITION (d = 'b', h = 1) RENAME TO PARTITION (d = 'c', h = 1);

ALTER TABLE p PARTITION (d = 'New', h = 1) RENAME TO PARTITION (d = 'a', h = 1);

--FILES p
UPDATE p SET name = upper(name) WHERE d = 'New';

SELECT * FROM p;

-- new columns, in old partitions too

ALTER TABLE p ADD COLUMNS (more INT COMMENT 'new');

INSERT INTO p (id, name, more, d, h) VALUES (9, 'nine', 90, 'a', 1), (10, 'ten', 100, 'z', 1);

UPDATE p SET more = 80 WHERE id = 8;

SELECT * FROM p;

ALTER TABLE p CHANGE COLUMN more more INT COMMENT 'changed';

ALTER TABLE p CHANGE COLUMN more more BIGINT;

ALTER TABLE p CHANGE COLUMN more other INT;

ALTER TABLE p REPLACE COLUMNS (id INT);

ALTER TABLE p DROP COLUMN more;

ALTER TABLE p RENAME COLUMN more TO other;

SELECT id, other FROM p WHERE other > 80;

DESCRIBE p;

-- properties

ALTER TABLE p SET TBLPROPERTIES ('no_auto_compaction' = 'true', 'note' = 'x');

ALTER TABLE p UNSET TBLPROPERTIES ('note');

ALTER TABLE p UNSET TBLPROPERTIES ('note');

SHOW TBLPROPERTIES p ('no_auto_compaction');

COMMENT ON TABLE p IS 'a table';

-- statistics of Spark's own

ANALYZE TABLE p COMPUTE STATISTICS;

ANALYZE TABLE p COMPUTE STATISTICS FOR ALL COLUMNS;

ANALYZE TABLE p PARTITION (d = 'a', h) COMPUTE STATISTICS;

ANALYZE TABLE p COMPUTE STATISTICS NOSCAN;

ANALYZE TABLES COMPUTE STATISTICS;

SELECT count(*), max(other) FROM p;

-- names

ALTER TABLE p RENAME TO renamed;

UPDATE renamed SET name = 'x' WHERE id = 9;

SELECT * FROM renamed;

SELECT * FROM p;

-- what is cached is altered with the table

CACHE TABLE renamed;

ALTER TABLE renamed DROP PARTITION (d = 'z');

SELECT * FROM renamed;

ALTER TABLE renamed ADD COLUMNS (last DATE);

SELECT * FROM renamed;

UNCACHE TABLE renamed;

-- not possible with tables that have no partitions, or with views

CREATE TABLE flat (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

ALTER TABLE flat ADD PARTITION (d = 'a');

ALTER TABLE flat DROP PARTITION (d = 'a');

CREATE VIEW v AS SELECT * FROM renamed;

ALTER TABLE v ADD PARTITION (d = 'a', h = 1);

EXPLAIN DROP TABLE flat;

EXPLAIN ALTER TABLE flat ADD COLUMNS (name STRING);

SELECT * FROM flat;

-- dropping

DROP TABLE IF EXISTS nothing;

DROP TABLE flat;

DROP TABLE IF EXISTS flat;

DROP TABLE v;

DROP VIEW v;

DROP TABLE renamed PURGE;

CREATE DATABASE ddl_other;

CREATE TABLE ddl_other.t (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO ddl_other.t VALUES (1);

DROP DATABASE ddl_other;

DROP DATABASE ddl_other CASCADE;

SHOW TABLES;
