-- The session that asks for a compaction does it; rows and their IDs stay what they are.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');

-- one delta is as few as there can be
ALTER TABLE t COMPACT 'minor';

UPDATE t SET name = 'B' WHERE id = 2;

DELETE FROM t WHERE id = 1;

INSERT INTO t VALUES (4, NULL);

SELECT ROW__ID.writeid, ROW__ID.rowid, * FROM t ORDER BY id;

ALTER TABLE t COMPACT 'minor';

SELECT ROW__ID.writeid, ROW__ID.rowid, * FROM t ORDER BY id;

-- the metastore takes no other request until something has been written, or the Cleaner is done
INSERT INTO t VALUES (5, 'e');

ALTER TABLE t COMPACT 'major' AND WAIT;

SELECT ROW__ID.writeid, ROW__ID.rowid, * FROM t ORDER BY id;

INSERT INTO t VALUES (6, 'f');

-- rows are numbered through
ALTER TABLE t COMPACT 'rebalance' CLUSTERED INTO 2 BUCKETS;

SELECT ROW__ID.writeid, ROW__ID.rowid, * FROM t ORDER BY id;

DELETE FROM t;

ALTER TABLE t COMPACT 'major';

SELECT * FROM t;

-- all partitions, or those that are meant

CREATE TABLE p (id INT, name STRING) PARTITIONED BY (d DATE) CLUSTERED BY (id) INTO 3 BUCKETS STORED AS ORC
TBLPROPERTIES ('transactional' = 'true');

INSERT INTO p VALUES (1, 'a', DATE '2024-01-01'), (2, 'b', DATE '2024-01-01'), (3, 'c', DATE '2024-02-01'), (4, 'd', NULL);

UPDATE p SET name = upper(name);

ALTER TABLE p PARTITION (d = '2024-01-01') COMPACT 'major';

UPDATE p SET name = concat(name, name);

ALTER TABLE p COMPACT 'major';

SELECT * FROM p ORDER BY id;

-- what is altered later is read in compacted files, too

ALTER TABLE p ADD COLUMNS (price DECIMAL(9,2));

UPDATE p SET price = 1.5 WHERE id <> 2;

ALTER TABLE p COMPACT 'major';

SELECT * FROM p ORDER BY id;

-- rows of an insert-only table have no IDs, and its files any name

CREATE TABLE i (id INT, name STRING) STORED AS PARQUET
TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only');

INSERT INTO i VALUES (1, 'a'), (2, NULL);

INSERT INTO i VALUES (3, 'c');

ALTER TABLE i COMPACT 'minor';

INSERT INTO i VALUES (4, 'd');

ALTER TABLE i COMPACT 'major' WITH OVERWRITE TBLPROPERTIES ('tblprops.parquet.compression' = 'GZIP');

SELECT * FROM i ORDER BY id;

-- what is not compacted

CREATE TABLE io (id INT) STORED AS TEXTFILE TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only');

ALTER TABLE io COMPACT 'major';

ALTER TABLE t COMPACT 'major' WITH OVERWRITE TBLPROPERTIES ('tblprops.orc.stripe.size' = '64MB');

ALTER TABLE t COMPACT 'major' WITH OVERWRITE TBLPROPERTIES ('tblprops.orc.compress' = 'LZO');

SET spark.hiveacid.compaction.runIn = nobody;

ALTER TABLE t COMPACT 'major';

SET spark.hiveacid.compaction.runIn = queue;

ALTER TABLE io COMPACT 'major';
