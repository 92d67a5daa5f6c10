-- What users of Iceberg type: it works, or the error says what to write instead.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE p (id INT, name STRING) PARTITIONED BY (day STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE s (id INT, name STRING) STORED AS ORC;

INSERT INTO t VALUES (1, 'one'), (2, 'two');

INSERT INTO p VALUES (1, 'one', 'mon'), (2, 'two', 'tue');

-- Procedures.
CALL spark_catalog.system.rollback_to_snapshot('t', 1);

CALL spark_catalog.system.expire_snapshots('t');

CALL spark_catalog.system.rewrite_data_files(table => 't');

CALL spark_catalog.system.rewrite_manifests('t');

CALL spark_catalog.system.remove_orphan_files(table => 't');

CALL system.migrate('t');

CALL system.snapshot('t', 'u');

CALL system.add_files(table => 't', source_table => 's');

-- Tables about tables.
SELECT * FROM t.history;

SELECT * FROM t.snapshots;

SELECT * FROM t.files;

SELECT * FROM t.partitions;

SELECT * FROM t.manifests;

SELECT * FROM t.metadata_log_entries;

SELECT * FROM t FOR VERSION AS OF 1;

SELECT * FROM t FOR SYSTEM_TIME AS OF '2024-01-01 00:00:00';

SELECT * FROM t FOR SYSTEM_VERSION AS OF 1;

SELECT * FROM t.branch_audit;

SELECT _file, _pos FROM t;

SELECT _metadata.file_path FROM t;

SELECT input_file_name() <> '' AS named FROM t;

-- Definitions.
CREATE TABLE i (id INT) USING iceberg;

CREATE TABLE i (id INT, at TIMESTAMP) USING iceberg PARTITIONED BY (days(at));

CREATE TABLE i (id INT, at TIMESTAMP) PARTITIONED BY (days(at)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE i (id INT) PARTITIONED BY (bucket(16, id)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

ALTER TABLE t ADD PARTITION FIELD bucket(16, id);

ALTER TABLE t DROP PARTITION FIELD id;

ALTER TABLE t REPLACE PARTITION FIELD id WITH bucket(8, id);

ALTER TABLE t WRITE ORDERED BY id;

ALTER TABLE t WRITE LOCALLY ORDERED BY id;

ALTER TABLE t WRITE DISTRIBUTED BY PARTITION;

ALTER TABLE t WRITE UNORDERED;

ALTER TABLE t SET IDENTIFIER FIELDS id;

ALTER TABLE t DROP IDENTIFIER FIELDS id;

ALTER TABLE t CREATE BRANCH audit;

ALTER TABLE t CREATE OR REPLACE BRANCH audit RETAIN 7 DAYS;

ALTER TABLE t CREATE TAG yesterday;

ALTER TABLE t REPLACE TAG yesterday;

ALTER TABLE t DROP BRANCH audit;

ALTER TABLE t DROP TAG IF EXISTS yesterday;

ALTER TABLE t EXECUTE ROLLBACK(1);

ALTER TABLE t EXECUTE EXPIRE_SNAPSHOTS('2024-01-01 00:00:00');

ALTER TABLE t EXECUTE optimize;

ALTER TABLE t ALTER COLUMN id TYPE BIGINT;

ALTER TABLE t ADD COLUMN point STRUCT<x: INT, y: INT>;

ALTER TABLE t ADD COLUMN point.z INT;

ALTER TABLE t RENAME COLUMN name TO label;

ALTER TABLE t ALTER COLUMN name AFTER point;

ALTER TABLE t DROP COLUMN name;

ALTER TABLE t RENAME COLUMN label TO name;

ALTER TABLE t SET TBLPROPERTIES ('write.format.default' = 'orc');

DROP TABLE s PURGE;

CREATE VIEW v AS SELECT id FROM t;

ALTER VIEW v AS SELECT id, name FROM t;

DESCRIBE EXTENDED v;

DROP VIEW v;

-- Rows.
INSERT INTO t.branch_audit VALUES (3, 'three');

INSERT OVERWRITE t SELECT 1, 'one', NULL;

ALTER TABLE t RENAME TO renamed;

DELETE FROM p WHERE day = 'mon';

MERGE INTO p USING (SELECT 2 AS id, 'TWO' AS name) s ON p.id = s.id WHEN MATCHED THEN UPDATE SET p.name = s.name WHEN NOT MATCHED THEN INSERT (id, name, day) VALUES (s.id, s.name, 'wed');

UPDATE p SET day = 'thu' WHERE id = 2;

SELECT * FROM renamed ORDER BY id;

SELECT * FROM p ORDER BY id;
